import Glibc
import ImageCaches
import ImageFilters
import Vips

/// A source on disk whose header has been read and found acceptable.
struct SourceFile {
  let path: String
  let format: ImageFormat
  let loader: Loader
  let bands: Int
  /// What its header says of its size, frames and orientation.
  let shape: SourceShape
  let facts: SourceFacts
  let limits: RenderLimits

  /// Formats that are read without being asked for.
  static let safe = ImageFormat.readByDefault

  init(path: String, limits: RenderLimits) throws(JobError) {
    self.path = path
    self.limits = limits
    let head = try FileReading.head(of: path)
    guard let format = ImageFormat(signature: head) else {
      let content = ForeignContent(head: head)
      throw JobError(
        code: content == .empty ? .empty : .notAnImage, stage: .decode,
        message: "\(content.rawValue); check what the source's address points to")
    }
    self.format = format
    guard Self.safe.contains(format) || limits.allows(format) else {
      throw JobError(
        code: .unsupportedFormat, stage: .decode, .unreadFormat(format.rawValue),
        message: "the file is \(format.rawValue), which isn't read by default")
    }
    if format == .svg { try SVGReferences.check(path) }
    loader = Loader(format)
    let image: VipsImage
    do {
      guard try VipsRuntime.hasOperation(loader.nickname) else {
        throw JobError(
          code: .unsupportedFormat, stage: .decode,
          message: "the installed libvips \(VipsRuntime.version) can't read \(format.rawValue)")
      }
      if let blockedClass = loader.blockedClass {
        try VipsRuntime.setBlocked(false, operation: blockedClass)
      }
      image = try loader.open(path, sequential: true, failOn: "none")
    } catch let error as JobError {
      throw error
    } catch let error as VipsError {
      // A header that can't be read may be one that isn't all there.
      try WholeFile.check(path, format)
      throw DecodeFailure.error(error, format)
    } catch {
      throw JobError(code: .corrupt, stage: .decode, message: "the picture can't be opened: \(error)")
    }
    bands = image.bands
    shape = SourceShape(
      format: format, stored: Extent(width: image.width, height: image.pageHeight),
      frames: max(1, loader.hasFrames ? image.integer("n-pages") ?? 1 : 1), orientation: image.orientation)
    var facts = SourceFacts(shape, hasAlpha: image.hasAlpha)
    facts.bands = image.bands
    facts.bitsPerSample = image.format.bytes * 8
    facts.isProgressive = image.isStoredInPasses
    self.facts = facts
    try check()
  }

  /// Sizes are checked before they are believed.
  private func check() throws(JobError) {
    let stored = shape.stored
    let pixels = stored.width * stored.height
    guard pixels <= limits.maxPixels else {
      throw JobError(
        code: .tooManyPixels, stage: .decode, .sourcePixels(pixels, frames: 1, limit: limits.maxPixels),
        message: "the picture says it has \(stored.width)x\(stored.height) pixels, more than the limit of "
          + "\(limits.maxPixels)")
    }
    // A progressive picture is kept whole, as coefficients of two bytes, while it is decoded.
    let coefficients = pixels * bands * 2
    guard facts.isProgressive != true || coefficients <= limits.memory else {
      throw JobError(
        code: .tooMuchMemory, stage: .decode, .memory(coefficients, limit: limits.memory),
        message: "decoding this progressive picture of \(stored.width)x\(stored.height) takes "
          + "\(coefficients >> 20) MiB, more than the limit of \(limits.memory >> 20) MiB"
      )
    }
  }
}

extension VipsImage {
  /// Whether the file holds the picture in several passes, from coarse to fine: a progressive JPEG, an interlaced PNG or
  /// GIF. libvips says 0 of the JPEGs that aren't.
  var isStoredInPasses: Bool {
    ["jpeg-multiscan", "interlaced"].contains { (integer($0) ?? 0) != 0 }
  }
}

extension RenderLimits {
  func allows(_ format: ImageFormat) -> Bool {
    allowedFormats.contains(format.rawValue) || format == .heic && allowedFormats.contains("heif")
  }
}

/// What a decoder's failure means to a user.
enum DecodeFailure {
  /// A file that ends too early.
  static func truncated(_ format: ImageFormat, _ reason: String) -> JobError {
    JobError(
      code: .truncated, stage: .decode,
      message: "the \(format.rawValue) file is cut off (\(reason))")
  }

  static func error(_ error: VipsError, _ format: ImageFormat) -> JobError {
    let reason = brief(error)
    // Not the end of the file, but of what a part of it has promised.
    let words = error.text.lowercased().replacing("premature end of data segment", with: "bad data")
    let isShort = [
      "premature end", "truncat", "end of file", "end of stream", "unexpected end", "not enough data",
      "read error", "incomplete", "insufficient data", "out of data",
    ].contains { words.contains($0) }
    if isShort { return truncated(format, reason) }
    return JobError(
      code: .corrupt, stage: .decode,
      message: "the \(format.rawValue) file is damaged (\(reason))")
  }

  /// The first line of what libvips says, whose buffer may end in the middle of a letter.
  private static func brief(_ error: VipsError) -> String {
    let lines = error.text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }
    guard var line = lines.first(where: { !$0.isEmpty }) else { return error.description }
    if line.last == "\u{FFFD}" { line.removeLast() }
    return VipsError(operation: error.operation, text: String(line)).description
  }

  /// The warning of a failure that is put up with.
  static func warning(of error: JobError) -> String {
    "\(error.message); what could be read was used"
  }
}
