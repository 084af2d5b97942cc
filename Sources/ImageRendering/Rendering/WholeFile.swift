import SystemIO

import Vips

/// Detects truncated animations, whose decoders silently return the frames that are complete, and files that lack only
/// their end mark.
enum WholeFile {
  /// - Throws: `RenderError` with code `truncated`, or `unreadable` if the file can't be read.
  static func check(_ place: FilePlace, _ format: ImageFormat) throws(RenderError) {
    switch format {
    case .gif: try checkGIF(place)
    case .webp: try checkWebP(place)
    default: return
    }
  }

  /// A warning about a PNG that ends before its final chunk or in it (ISO/IEC 15948, section 11.2.5). Decoders and browsers
  /// show it: all its pixels may be there.
  /// - Returns: nil for any other file. If pixels are missing too, decoding fails.
  /// - Throws: `RenderError` with code `unreadable` if the file can't be read.
  static func warning(_ place: FilePlace, _ format: ImageFormat) throws(RenderError) -> String? {
    guard format == .png else { return nil }
    var file = try FileReading.opened(place)
    let isCut = isCutAtEnd(&file)
    try FileReading.check(file.failure, of: place)
    return isCut ? "the png file ends without its final chunk" : nil
  }

  /// A PNG's final chunk, which has no data.
  private static let finalChunk: [UInt8] = [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]

  private static func isCutAtEnd(_ file: inout FileBytes) -> Bool {
    // Nearly every file ends with the chunk, and needs no walk through all others.
    if file.bytes(file.count - finalChunk.count, finalChunk.count) == finalChunk { return false }
    var place = 8
    while let length = file.number(place, 4, littleEndian: false), let name = file.bytes(place + 4, 4) {
      // Bytes may follow the final chunk.
      if name == Array("IEND".utf8) { return place + finalChunk.count > file.count }
      place += 12 + length
    }
    return place <= file.count
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
