public import Vips

/// Stores pixels that are read more than once.
///
/// libvips computes pixels each time they are read. A resampler or a blur reads the same input line for many output
/// lines, so a lazy filter before it would run again and again.
public struct PixelStorage: Sendable {
  /// The most pixel memory that libvips may hold in this process, in bytes. Images that don't fit go to a file.
  public var memory: Int
  /// The directory for those files. They are unlinked while in use, so that a crash leaves none behind.
  public var directory: String

  /// Creates storage.
  /// - Parameters:
  ///   - memory: The most pixel memory that libvips may hold in this process, in bytes. Default: 1 GiB.
  ///   - directory: The directory for images that don't fit, which must exist. Default: `/tmp`.
  public init(memory: Int = 1 << 30, directory: String = "/tmp") {
    self.memory = memory
    self.directory = directory
  }

  /// Computes every pixel once and stores it: in memory if it fits, otherwise in a file.
  /// - Parameter image: The image, with all its frames.
  /// - Returns: The stored image; `image` itself if its pixels are stored already.
  /// - Throws: `VipsError` if computing a pixel or writing the file fails.
  public func keeping(_ image: VipsImage) throws(VipsError) -> VipsImage {
    if image.isAtHand { return image }
    return VipsRuntime.memory + image.pixelBytes <= memory
      ? try image.materialized() : try image.stored(inDirectory: directory)
  }
}
