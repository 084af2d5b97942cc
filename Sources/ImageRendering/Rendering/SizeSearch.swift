import SystemIO
import Vips

/// Encodes an image, at the highest quality that stays within `max-bytes` if that is set.
struct SizeSearch {
  let encoder: ImageEncoder
  let image: VipsImage
  let path: String

  /// Writes the file.
  /// - Returns: The quality that was found; nil without `max-bytes` or a lossy quality.
  /// - Throws: `RenderError` with code `tooManyBytes` if even the smallest file is larger.
  func run(attempts: inout Int) throws -> Int? {
    guard let limit = encoder.encoding.maxBytes else {
      attempts += 1
      try encoder.write(image, to: path)
      return nil
    }
    guard case .integer(let wanted)? = encoder.encoding.option("quality"),
      encoder.encoding.option("lossless") != .flag(true)
    else {
      attempts += 1
      try encoder.write(image, to: path)
      let bytes = try size()
      guard bytes <= limit else { throw tooLarge(bytes, limit, "use a lossy format or a smaller size") }
      return nil
    }
    attempts += 1
    try encoder.write(image, to: path)
    if try size() <= limit { return wanted }
    // Binary search. Invariant: `tooMuch` doesn't fit.
    var (tooMuch, fits) = (wanted, 0)
    while tooMuch - fits > 1 {
      let quality = (tooMuch + fits) / 2
      attempts += 1
      try encoder.write(image, to: path, quality: quality)
      if try size() <= limit { fits = quality } else { tooMuch = quality }
    }
    guard fits > 0 else { throw tooLarge(try size(), limit, "make the image smaller") }
    attempts += 1
    try encoder.write(image, to: path, quality: fits)
    return fits
  }

  static func size(of path: String) throws(RenderError) -> Int {
    do throws(SystemError) { return try File.size(of: path) } catch { throw .unwritable(path, error) }
  }

  private func size() throws(RenderError) -> Int { try Self.size(of: path) }

  private func tooLarge(_ bytes: Int, _ limit: Int, _ remedy: String) -> RenderError {
    RenderError(
      code: .tooManyBytes, stage: .encode,
      message:
        "the smallest \(encoder.encoding.format.rawValue) has \(bytes) bytes, over max-bytes \(limit); \(remedy)"
    )
  }
}
