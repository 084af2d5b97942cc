import SystemIO

import Vips

/// Detects truncated animations, whose decoders silently return the frames that are complete, and files that lack only
/// their end mark.
package enum WholeFile {
  /// Whether a file ends as files of its format do. A decoder that needs only the first rows of a JPEG or PNG doesn't read
  /// the rest.
  /// - Parameter wasDecoded: The result for formats without an end that can be found: whether the pixels were decoded.
  package static func hasEnd(_ path: String, wasDecoded: Bool = true) -> Bool {
    do throws(RenderError) {
      let place = FilePlace.path(path)
      guard let format = ImageFormat(signature: try FileReading.head(of: place)) else { return false }
      switch format {
      case .jpeg:
        var file = try FileReading.opened(place)
        return hasEndOfImage(&file)
      case .png:
        var file = try FileReading.opened(place)
        return end(ofPNG: &file) == .whole
      case .gif, .webp:
        try check(place, format)
        return true
      default: return wasDecoded
      }
    } catch {
      return false
    }
  }

  /// Whether a JPEG ends with its end marker (ITU-T T.81, section B.1.1.3), or with it and a few other bytes.
  private static func hasEndOfImage(_ file: inout FileBytes) -> Bool {
    let count = min(file.count, 64)
    guard let end = file.bytes(file.count - count, count) else { return false }
    return zip(end, end.dropFirst()).contains { $0 == 0xFF && $1 == 0xD9 }
  }

  /// - Throws: `RenderError` with code `truncated`, or `unreadable` if the file can't be read.
  static func check(_ place: FilePlace, _ format: ImageFormat) throws(RenderError) {
    switch format {
    case .gif: try checkGIF(place)
    case .webp: try checkWebP(place)
    default: return
    }
  }

  /// A warning about a PNG that ends before the end of its final chunk (ISO/IEC 15948, section 11.2.5). Decoders and browsers
  /// show it: all its pixels may be there, also if only the checksum of the data is missing.
  /// - Returns: nil for any other file. If pixels are missing too, decoding fails.
  /// - Throws: `RenderError` with code `unreadable` if the file can't be read.
  static func warning(_ place: FilePlace, _ format: ImageFormat) throws(RenderError) -> String? {
    guard format == .png else { return nil }
    var file = try FileReading.opened(place)
    let end = end(ofPNG: &file)
    try FileReading.check(file.failure, of: place)
    return switch end {
    case .whole: nil
    case .withoutFinalChunk: "the png file ends without its final chunk"
    case .withinChunk: "the png file ends within a chunk"
    }
  }

  /// A PNG's final chunk, which has no data.
  private static let finalChunk: [UInt8] = [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]

  /// Where a PNG ends.
  private enum PNGEnd {
    /// After its final chunk, which other bytes may follow.
    case whole
    /// Between two chunks, or in the final one: all pixels may be there.
    case withoutFinalChunk
    /// In another chunk.
    case withinChunk
  }

  private static func end(ofPNG file: inout FileBytes) -> PNGEnd {
    // Nearly every file ends with the chunk, and needs no walk through all others.
    if file.bytes(file.count - finalChunk.count, finalChunk.count) == finalChunk { return .whole }
    var place = 8
    while let length = file.number(place, 4, littleEndian: false), let name = file.bytes(place + 4, 4) {
      if name == Array("IEND".utf8) {
        return place + finalChunk.count > file.count ? .withoutFinalChunk : .whole
      }
      place += 12 + length
    }
    return place <= file.count ? .withoutFinalChunk : .withinChunk
  }

  private static func checkGIF(_ place: FilePlace) throws(RenderError) {
    var blocks = GIFBlocks(try FileReading.opened(place))
    let finding = blocks.walk(countingPixels: true)
    try FileReading.check(blocks.failure, of: place)
    if let frame = finding.shortFrame {
      throw DecodeFailure.truncated(.gif, "the data of frame \(frame) ends before its last pixel")
    }
    guard finding.isWhole else {
      throw DecodeFailure.truncated(.gif, "it ends after \(finding.frames) complete frames without trailer")
    }
  }

  /// Compares the file with the container's declared size (RFC 9649, section 2.3).
  private static func checkWebP(_ place: FilePlace) throws(RenderError) {
    var file = try FileReading.opened(place)
    let size = file.number(4, 4, littleEndian: true)
    try FileReading.check(file.failure, of: place)
    guard let size, file.count >= size + 8 else {
      throw DecodeFailure.truncated(.webp, "the file is shorter than its header declares")
    }
  }
}
