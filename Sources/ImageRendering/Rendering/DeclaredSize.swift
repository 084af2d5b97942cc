import ImageFilters
import SystemIO
import Vips

/// The size that a file declares and its decoder refuses, so that a limit isn't taken for damage.
///
/// libvips and ImageMagick refuse large images with words about the file, or with none.
struct DeclaredSize {
  let format: ImageFormat
  let width: Int
  let height: Int

  /// Reads the size from the header of a PNG or BMP file, whatever it is; nil for other formats.
  init?(of place: FilePlace, _ format: ImageFormat) {
    // Rendering reports an unreadable file.
    guard [.png, .bmp].contains(format), var file = try? FileBytes(place),
      let sides = format == .png ? Self.png(&file) : Self.bmp(&file)
    else { return nil }
    self.format = format
    (width, height) = sides
  }

  /// ISO/IEC 15948: the IHDR chunk. The sides have 31 bits, so that their product fits.
  private static func png(_ file: inout FileBytes) -> (Int, Int)? {
    guard let width = file.number(16, 4, littleEndian: false),
      let height = file.number(20, 4, littleEndian: false), max(width, height) <= Int32.max
    else { return nil }
    return (width, height)
  }

  /// The BITMAPINFOHEADER, or the 12 bytes of OS/2. A negative height counts the rows from the top.
  private static func bmp(_ file: inout FileBytes) -> (Int, Int)? {
    guard let length = file.number(14, 4, littleEndian: true) else { return nil }
    let size = length == 12 ? 2 : 4
    guard let width = file.number(18, size, littleEndian: true),
      let height = file.number(18 + size, size, littleEndian: true)
    else { return nil }
    return (width, size == 2 ? height : Int(Int32(truncatingIfNeeded: height).magnitude))
  }

  /// Checks the size after its decoder has refused the file.
  /// - Throws: `RenderError` with code `tooManyPixels`.
  func check(within limits: RenderLimits) throws(RenderError) {
    try Self.check(Size(width: width, height: height), within: limits)
    let side = VipsRuntime.longestSide
    guard max(width, height) > side else { return }
    throw RenderError(
      code: .tooManyPixels, stage: .decode,
      message:
        "the image declares \(width)x\(height) pixels; its decoder, libvips, reads sides of up to \(side)")
  }

  /// Checks the size of a frame.
  /// - Throws: `RenderError` with code `tooManyPixels`.
  static func check(_ size: Size, within limits: RenderLimits) throws(RenderError) {
    let pixels = size.width * size.height
    guard pixels > limits.maxPixels else { return }
    throw RenderError(
      code: .tooManyPixels, stage: .decode, .sourcePixels(pixels, frames: 1, limit: limits.maxPixels),
      message: "the image declares \(size.width)x\(size.height) pixels, more than the limit of "
        + "\(limits.maxPixels)")
  }
}
