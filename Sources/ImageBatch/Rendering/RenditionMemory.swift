import Glibc
import ImageCaches
import Vips

/// What a renderer keeps from one request to the next: renditions in memory, within a few megabytes, and how fast
/// this machine reads one back.
public final class RenditionMemory {
  private let images: AutoPurgingImageCache?
  /// Of the files written so far: what hashing them took. Nil before the first.
  private(set) var secondsPerByte: Double?

  private static let leastSeconds = 0.05

  /// Keeps up to `capacity` bytes of pixels; none for 0. They are given back when the system runs out of memory.
  public init(capacity: Int) {
    // The cache refuses a capacity below its preferred usage alone.
    guard capacity > 0,
      let images = try? AutoPurgingImageCache(
        memoryCapacity: UInt64(capacity), preferredMemoryUsageAfterPurge: UInt64(capacity) / 10 * 6)
    else {
      images = nil
      return
    }
    self.images = images
  }

  /// The rendition of a key, if it is still there.
  func image(_ key: ContentDigest) -> VipsImage? { images?.image(withIdentifier: key.hex) }

  /// Keeps a rendition whose pixels are in memory.
  func keep(_ image: VipsImage, for key: ContentDigest) {
    guard let images, image.pixelBytes <= Int(images.memoryCapacity) / 4 else { return }
    images.add(image, withIdentifier: key.hex)
  }

  /// Takes in what reading a file of `bytes` took.
  func learn(seconds: Double, bytes: Int) {
    guard bytes > 0 else { return }
    let rate = seconds / Double(bytes)
    // The latest counts for a quarter: one slow file says little.
    secondsPerByte = secondsPerByte.map { $0 * 0.75 + rate * 0.25 } ?? rate
  }

  /// Whether making a rendition again, which took `seconds`, costs clearly more than reading it back: three times as
  /// much, because it has to be written too, and may never be asked for. One that takes milliseconds is never worth the
  /// files that it costs: a run of a thousand small images took a fifth longer with them.
  func isWorthKeeping(seconds: Double, bytes: Int) -> Bool {
    guard seconds >= Self.leastSeconds else { return false }
    guard let secondsPerByte else { return true }
    return seconds > 3 * secondsPerByte * Double(bytes)
  }
}
