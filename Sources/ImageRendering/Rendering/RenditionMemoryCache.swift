import Collections
import Glibc
import ImageCaches
import Vips

/// A renderer's memory between requests: recent renditions, and how fast this machine reads one back from disk.
package final class RenditionMemoryCache {
  private let capacity: Int
  /// Created for the first rendition: most workers keep none, and the cache monitors the memory pressure, which the kernel
  /// takes 50 ms to end when a process exits.
  private var images: AutoPurgingImageCache?
  /// A moving average of the time to read and hash a rendition's file; nil before the first.
  private(set) var secondsPerByte: Double?

  private static let leastSeconds = 0.05
  /// The most renditions to keep. Header, metadata and buffers take some 10 kB of each, which the capacity doesn't count: with
  /// small images, a worker would grow with the length of its batch.
  static let mostImages = 1000
  /// The keys of renditions, the latest last. One that is added again is there twice.
  private var order: Deque<ContentDigest> = []

  /// Creates a cache.
  /// - Parameter capacity: Bytes of pixels to keep, 0 for none. They are released under memory pressure.
  package init(capacity: Int) { self.capacity = capacity }

  func image(_ key: ContentDigest) -> VipsImage? { images?.image(withIdentifier: key.hex) }

  /// The number of renditions.
  var count: Int { images?.count ?? 0 }

  /// Adds a rendition whose pixels are in memory, unless it would take more than a quarter of the capacity.
  func keep(_ image: VipsImage, for key: ContentDigest) {
    guard image.pixelBytes <= capacity / 4, let images = images ?? makeImages() else { return }
    images.add(image, withIdentifier: key.hex)
    order.append(key)
    if order.count > Self.mostImages, let oldest = order.popFirst() {
      images.removeImage(withIdentifier: oldest.hex)
    }
  }

  private func makeImages() -> AutoPurgingImageCache? {
    // The only error is a capacity below the preferred usage.
    images = try? AutoPurgingImageCache(
      memoryCapacity: UInt64(capacity), preferredMemoryUsageAfterPurge: UInt64(capacity) / 10 * 6)
    return images
  }

  /// Records the time to read a file of `bytes`.
  func learn(seconds: Double, bytes: Int) {
    guard bytes > 0 else { return }
    let rate = seconds / Double(bytes)
    // Moving average with weight 1/4, so that one slow file has little effect.
    secondsPerByte = secondsPerByte.map { $0 * 0.75 + rate * 0.25 } ?? rate
  }

  /// Whether a rendition that took `seconds` costs at least three times as much to compute as to read back. The factor
  /// pays for writing it and for renditions that are never used. Under 50 ms it is never worth it: keeping them made a
  /// run of a thousand small images take a fifth longer.
  func isWorthKeeping(seconds: Double, bytes: Int) -> Bool {
    guard seconds >= Self.leastSeconds else { return false }
    guard let secondsPerByte else { return true }
    return seconds > 3 * secondsPerByte * Double(bytes)
  }
}
