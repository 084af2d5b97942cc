import CJPEG
import SystemIO
import Vips

/// Writes a JPEG without metadata on the calling thread, with the bytes of libvips' `jpegsave`.
///
/// libvips starts threads for each file, and hands them its rows. For an image of web-page size that takes as long as the
/// encoding (docs/decisions/jpeg-writer.md).
struct JPEGWriter {
  private let settings: cjpeg_settings

  /// The rows that are computed together: two rows of blocks with subsampled chroma.
  private static let rows = 32

  /// - Parameters:
  ///   - encoding: Has a value for each option of the format.
  ///   - quality: Overrides the encoding's quality, 1 to 100.
  ///   - threads: The number of threads on which libvips may compute the image.
  /// - Returns: nil if libvips has to convert the image first, or can compute it on several threads.
  init?(_ encoding: Encoding, quality: Int? = nil, image: VipsImage, threads: Int = VipsRuntime.concurrency) {
    guard case .integer(let wanted)? = encoding.option("quality"),
      case .flag(let progressive)? = encoding.option("progressive"),
      case .flag(let optimize)? = encoding.option("optimize"),
      case .choice(let subsampling)? = encoding.option("subsampling"),
      threads == 1, image.format == .uchar, image.pageCount == 1,
      image.bands == 3 && image.interpretation == .sRGB || image.bands == 1 && image.interpretation == .gray
    else { return nil }
    let quality = quality ?? wanted
    settings = cjpeg_settings(
      width: Int32(image.width), height: Int32(image.height), bands: Int32(image.bands),
      quality: Int32(quality),
      progressive: progressive, optimize: optimize,
      subsample: subsampling == "on" || subsampling == "auto" && quality < 90)
  }

  /// - Throws: `VipsError` if the image can't be computed, libjpeg has no memory, or the file can't be written.
  func write(_ image: VipsImage, to path: String) throws(VipsError) {
    guard let writer = cjpeg_begin(settings) else { throw Self.error("out of memory") }
    defer { cjpeg_destroy(writer) }
    try image.forEachRows(Self.rows) { rows, _ in
      cjpeg_write(writer, rows.start, rows.stride, Int32(rows.height))
      return cjpeg_error(writer) == nil
    }
    var bytes: UnsafePointer<UInt8>?
    var size = 0
    cjpeg_finish(writer, &bytes, &size)
    if let message = cjpeg_error(writer) { throw Self.error(String(cString: message)) }
    do throws(SystemError) {
      try File.write(UnsafeRawBufferPointer(start: bytes, count: size), to: path)
    } catch {
      var failure = Self.error("can't write \(path): \(error.text)")
      failure.failedWrite = error.code
      throw failure
    }
  }

  private static func error(_ text: String) -> VipsError { VipsError(operation: "jpegsave", text: text) }
}
