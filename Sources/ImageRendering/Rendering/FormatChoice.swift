import Glibc
import ImageFilters
import SystemIO
import Vips

/// Writes a rendition in each candidate format that can hold it and keeps the smallest file.
struct FormatChoice {
  let encoding: Encoding
  /// The output file's path. If writing fails, no file is left there.
  let path: String
  /// Whether the pixels are read again after encoding, for placeholders.
  let keepsPixels: Bool
  let isGray: Bool
  let storage: PixelStorage

  struct Written {
    let encoder: ImageEncoder
    let image: VipsImage
    /// The quality that the `max-bytes` search found; nil if there was no search.
    let quality: Int?
  }

  func write(_ rendition: VipsImage, attempts: inout Int) throws -> Written {
    guard !encoding.alternatives.isEmpty else {
      return try write(rendition, as: encoding, to: path, attempts: &attempts)
    }
    let kept = try storage.keeping(rendition)
    let candidates = try candidates(for: kept)
    var best: (written: Written, path: String, bytes: Int)?
    var limit = Int.max
    var failure: RenderError?
    defer { if let best { unlink(best.path) } }
    for (index, candidate) in candidates.enumerated() {
      let place = "\(path).\(index)"
      let written: Written
      do {
        written = try write(kept, as: candidate, to: place, attempts: &attempts)
      } catch let error as RenderError where error.code == .tooManyBytes {
        // Another format may meet `max-bytes`.
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
    guard rename(best.path, path) == 0 else { throw RenderError.unwritable(path, .last) }
    return best.written
  }

  private func write(
    _ rendition: VipsImage, as encoding: Encoding, to path: String, attempts: inout Int
  ) throws -> Written {
    let encoder = try ImageEncoder(encoding)
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

  /// The encodings that can hold the image's size, frames and, if any pixel is transparent, alpha.
  /// If none holds the alpha, every encoding that holds size and frames is a candidate, and alpha is flattened.
  private func candidates(for image: VipsImage) throws -> [Encoding] {
    let frames = image.pageCount
    let isTimed = frames > 1 && image.hasField("delay")
    let possible = try encoding.choices.filter { choice in
      guard let definition = EncoderTable.definition(of: choice.format),
        max(image.width, image.pageHeight) <= definition.longestSide
      else { return false }
      guard frames == 1 || (isTimed ? definition.holdsTiming : definition.holdsFrames) else { return false }
      return try FormatSupport.canWrite(choice.format)
    }
    guard try image.usesAlpha() else { return possible }
    let clear = possible.filter { EncoderTable.definition(of: $0.format)?.holdsAlpha == true }
    return clear.isEmpty ? possible : clear
  }

  private static func nothingCanBeWritten(_ encoding: Encoding) -> RenderError {
    RenderError(
      code: .unsupportedFormat, stage: .encode,
      message: "none of \(encoding.formatText) can hold this image's size and frames; name another format")
  }
}

extension VipsImage {
  /// Whether any pixel is transparent.
  func usesAlpha() throws(VipsError) -> Bool {
    guard hasAlpha else { return false }
    return try extractingBands(from: bands - 1, count: 1).measuring("min")
      < (format == .ushort ? 65_535 : 255)
  }
}
