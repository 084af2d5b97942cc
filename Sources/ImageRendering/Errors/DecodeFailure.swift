import Vips

/// Turns a decoder's error into a job's error.
enum DecodeFailure {
  /// A file that ends too early.
  static func truncated(_ format: ImageFormat, _ reason: String) -> RenderError {
    RenderError(
      code: .truncated, stage: .decode,
      message: "the \(format.rawValue) file is truncated (\(reason))")
  }

  static func error(_ error: VipsError, _ format: ImageFormat) -> RenderError {
    let reason = brief(error)
    // libvips' lines about a system call that failed: the file couldn't be opened or read. Nothing must be recorded against
    // its content.
    if let line = error.text.split(whereSeparator: \.isNewline).first(where: {
      $0.contains("unix error: ") || $0.contains("system error: ")
    }) {
      let cause = line.drop { $0 == " " }.replacing("unix error: ", with: "").replacing(
        "system error: ", with: "")
      return RenderError(
        code: .unreadable, stage: .decode, message: "can't read the \(format.rawValue) file: \(cause)")
    }
    // GLib's and the allocator's words under a limit of memory or processes: the image isn't the cause.
    if ["cannot allocate memory", "error creating thread", "out of memory --", "unable to allocate"].contains(
      where: error.text.lowercased().contains)
    {
      return RenderError(
        code: .outOfMemory, stage: .decode,
        message: "not enough memory or threads to decode the \(format.rawValue) file (\(reason))",
        isTemporary: true)
    }
    if limits.contains(where: error.text.lowercased().contains) { return tooLarge(format, reason) }
    // This is about one segment, not the end of the file.
    let words = error.text.lowercased().replacing("premature end of data segment", with: "bad data")
    let isShort = [
      "premature end", "truncat", "end of file", "end of stream", "unexpected end", "not enough data",
      "read error", "incomplete", "insufficient data", "out of data",
    ].contains { words.contains($0) }
    if isShort { return truncated(format, reason) }
    return RenderError(
      code: .corrupt, stage: .decode,
      message: "the \(format.rawValue) file is damaged (\(reason))")
  }

  /// The words of ImageMagick and libheif about images that are too large for them.
  private static let limits = [
    "width or height exceeds limit", "resources exhausted", "exceeds the maximum image size",
  ]

  /// A file that its decoder refuses for its size.
  private static func tooLarge(_ format: ImageFormat, _ reason: String) -> RenderError {
    let isImageMagick = Loader(format).nickname == "magickload"
    return RenderError(
      code: .tooManyPixels, stage: .decode,
      message:
        "the \(format.rawValue) file exceeds a limit of its decoder (\(reason)); make the image smaller"
        + (isImageMagick ? ", or raise the limit in ImageMagick's policy.xml" : ""))
  }

  /// The first line of libvips' error, whose buffer may end within a UTF-8 sequence. ImageMagick appends the file's name,
  /// which is that of a descriptor, and a line of its source.
  private static func brief(_ error: VipsError) -> String {
    let lines = error.text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }
    guard var line = lines.first(where: { !$0.isEmpty }) else { return error.description }
    if line.last == "\u{FFFD}" { line.removeLast() }
    let text = line.replacing(#/ [`'][^`']*' @ [a-z]+\/\S+$/#, with: "")
    return VipsError(operation: error.operation, text: String(text)).description
  }

  /// The warning if a failure is ignored.
  static func warning(of error: RenderError) -> String {
    "\(error.message); using what could be decoded"
  }
}
