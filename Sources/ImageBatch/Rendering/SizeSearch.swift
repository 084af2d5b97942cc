import SystemIO
import Vips

/// Writes a file, and where it must stay under a size, the one of the highest quality that does.
struct SizeSearch {
  let encoder: Encoder
  let image: VipsImage
  let path: String

  /// - Returns: The quality reached; nil where no size was asked for.
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
    // The highest quality that fits is between these two, the first of which is known to be too much.
    var (tooMuch, fits) = (wanted, 0)
    while tooMuch - fits > 1 {
      let quality = (tooMuch + fits) / 2
      attempts += 1
      try encoder.write(image, to: path, quality: quality)
      if try size() <= limit { fits = quality } else { tooMuch = quality }
    }
    guard fits > 0 else { throw tooLarge(try size(), limit, "make the picture smaller") }
    attempts += 1
    try encoder.write(image, to: path, quality: fits)
    return fits
  }

  /// A file's size, in bytes.
  static func size(of path: String) throws(JobError) -> Int {
    do throws(SystemError) { return try File.size(of: path) } catch { throw .unwritable(path, error) }
  }

  private func size() throws(JobError) -> Int { try Self.size(of: path) }

  private func tooLarge(_ bytes: Int, _ limit: Int, _ remedy: String) -> JobError {
    JobError(
      code: .tooManyBytes, stage: .encode,
      message:
        "the smallest \(encoder.encoding.format.rawValue) has \(bytes) bytes, more than max-bytes \(limit); \(remedy)"
    )
  }
}
