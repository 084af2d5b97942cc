import Glibc
import ImageFilters
import SystemIO
import Vips

/// Writes a rendition in the one format that is wanted, or in each of several that can hold it, and keeps the smallest
/// file.
struct FormatChoice {
  let encoding: Encoding
  /// Where the file goes; there is none when writing fails.
  let path: String
  /// Whether the pixels are read again after they have been written.
  let keepsPixels: Bool
  /// Whether each pixel's colors are one and the same number.
  let isGray: Bool
  let storage: PixelStorage

  /// A file that was written.
  struct Written {
    let encoder: Encoder
    /// The picture as the file has it.
    let image: VipsImage
    /// What `max-bytes` reached.
    let quality: Int?
  }

  func write(_ rendition: VipsImage, attempts: inout Int) throws -> Written {
    guard !encoding.alternatives.isEmpty else {
      return try write(rendition, as: encoding, to: path, attempts: &attempts)
    }
    let picture = try storage.keeping(rendition)
    let candidates = try candidates(for: picture)
    var best: (written: Written, path: String, bytes: Int)?
    var limit = Int.max
    var failure: JobError?
    defer { if let best { unlink(best.path) } }
    for (index, candidate) in candidates.enumerated() {
      let place = "\(path).\(index)"
      let written: Written
      do {
        written = try write(picture, as: candidate, to: place, attempts: &attempts)
      } catch let error as JobError where error.code == .tooManyBytes {
        // Another format may stay under the size.
        failure = failure ?? error
        continue
      }
      let bytes = try SizeSearch.size(of: place)
      if let current = best {
        guard bytes <= limit, bytes < current.bytes else {
          unlink(place)
          continue
        }
        unlink(current.path)
      } else {
        limit = Int((Double(bytes) * (1 - encoding.minSavings)).rounded(.down))
      }
      best = (written, place, bytes)
    }
    guard let best else { throw failure ?? Self.nothingCanBeWritten(encoding) }
    guard rename(best.path, path) == 0 else { throw JobError.unwritable(path, .last) }
    return best.written
  }

  private func write(
    _ rendition: VipsImage, as encoding: Encoding, to path: String, attempts: inout Int
  ) throws -> Written {
    let encoder = try Encoder(encoding)
    var image = try encoder.prepared(rendition, isGray: isGray)
    if encoder.needsSeveralPasses || keepsPixels { image = try storage.keeping(image) }
    do {
      let quality = try SizeSearch(encoder: encoder, image: image, path: path).run(attempts: &attempts)
      return Written(encoder: encoder, image: image, quality: quality)
    } catch {
      unlink(path)
      throw error
    }
  }

  /// The encodings that can hold the picture as it is: its size, its frames, and its alpha where that is used. Where
  /// none holds all of that, those that hold its size and frames; an alpha is then flattened as it always is.
  private func candidates(for picture: VipsImage) throws -> [Encoding] {
    let frames = picture.pageCount
    let isTimed = frames > 1 && picture.hasField("delay")
    let possible = try encoding.choices.filter { choice in
      guard let definition = EncoderTable.definition(of: choice.format),
        max(picture.width, picture.pageHeight) <= definition.longestSide
      else { return false }
      guard frames == 1 || (isTimed ? definition.holdsTiming : definition.holdsFrames) else { return false }
      return try FormatSupport.canWrite(choice.format)
    }
    guard try picture.usesAlpha() else { return possible }
    let clear = possible.filter { EncoderTable.definition(of: $0.format)?.holdsAlpha == true }
    return clear.isEmpty ? possible : clear
  }

  private static func nothingCanBeWritten(_ encoding: Encoding) -> JobError {
    JobError(
      code: .unsupportedFormat, stage: .encode,
      message: "none of \(encoding.formatText) can hold this picture's size and frames; name another format")
  }
}

extension VipsImage {
  /// Whether any pixel isn't opaque.
  fileprivate func usesAlpha() throws -> Bool {
    guard hasAlpha else { return false }
    return try extractingBands(from: bands - 1, count: 1).measuring("min")
      < (format == .ushort ? 65_535 : 255)
  }
}
