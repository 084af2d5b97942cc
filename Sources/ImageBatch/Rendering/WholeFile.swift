import SystemIO
import Vips

/// Finds animations that are cut off. Their decoders make do with the frames that are there.
enum WholeFile {
  /// - Throws: `JobError` of stage `decode` with code `truncated`.
  static func check(_ path: String, _ format: ImageFormat) throws(JobError) {
    switch format {
    case .gif: try checkGIF(path)
    case .webp: try checkWebP(path)
    default: return
    }
  }

  private static func checkGIF(_ path: String) throws(JobError) {
    var blocks = GIFBlocks(try opened(path))
    let finding = blocks.walk(countingPixels: true)
    if let frame = finding.shortFrame {
      throw DecodeFailure.truncated(.gif, "the data of frame \(frame) end before its last pixel")
    }
    guard finding.isWhole else {
      throw DecodeFailure.truncated(.gif, "it ends after \(finding.frames) whole frames, without a trailer")
    }
  }

  /// The container says how long it is (RFC 9649, section 2.3).
  private static func checkWebP(_ path: String) throws(JobError) {
    var file = try opened(path)
    guard let size = file.number(4, 4, littleEndian: true), file.count >= size + 8 else {
      throw DecodeFailure.truncated(.webp, "the file is shorter than it says")
    }
  }

  private static func opened(_ path: String) throws(JobError) -> FileBytes {
    do throws(SystemError) {
      return try FileBytes(path: path)
    } catch {
      throw JobError(code: .corrupt, stage: .decode, message: "the file can't be read: \(error.text)")
    }
  }
}
