import Vips

/// Detects truncated animations. Their decoders silently return the frames that are complete.
enum WholeFile {
  /// - Throws: `RenderError` with code `truncated`, or `unreadable` if the file can't be read.
  static func check(_ path: String, _ format: ImageFormat) throws(RenderError) {
    switch format {
    case .gif: try checkGIF(path)
    case .webp: try checkWebP(path)
    default: return
    }
  }

  private static func checkGIF(_ path: String) throws(RenderError) {
    var blocks = GIFBlocks(try FileReading.opened(path))
    let finding = blocks.walk(countingPixels: true)
    try FileReading.check(blocks.failure, of: path)
    if let frame = finding.shortFrame {
      throw DecodeFailure.truncated(.gif, "the data of frame \(frame) ends before its last pixel")
    }
    guard finding.isWhole else {
      throw DecodeFailure.truncated(.gif, "it ends after \(finding.frames) complete frames without trailer")
    }
  }

  /// Compares the file with the container's declared size (RFC 9649, section 2.3).
  private static func checkWebP(_ path: String) throws(RenderError) {
    var file = try FileReading.opened(path)
    let size = file.number(4, 4, littleEndian: true)
    try FileReading.check(file.failure, of: path)
    guard let size, file.count >= size + 8 else {
      throw DecodeFailure.truncated(.webp, "the file is shorter than its header declares")
    }
  }
}
