public import Vips

/// Where pixels are kept that are read more than once.
///
/// libvips computes pixels when they are asked for, each time that they are asked for. A resampler or a blur asks for the
/// same line for many of its own, so that a lazy filter before it would run again and again.
public struct PixelStorage: Sendable {
  /// How much pixel memory libvips may hold in this process, in bytes. What has no room goes into a file.
  public var memory: Int
  /// The directory of such files. They have no name while they are in use.
  public var directory: String

  /// Storage of `memory` bytes (default: 1 GiB), and of files in `directory` beyond.
  public init(memory: Int = 1 << 30, directory: String = "/tmp") {
    self.memory = memory
    self.directory = directory
  }

  /// The picture with every pixel computed, once: in memory if there is room, else in a file.
  public func keeping(_ image: VipsImage) throws(VipsError) -> VipsImage {
    if image.isAtHand { return image }
    return VipsRuntime.memory + image.pixelBytes <= memory
      ? try image.materialized() : try image.stored(inDirectory: directory)
  }
}
