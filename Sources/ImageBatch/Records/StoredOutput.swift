import ImageCaches
import ImageRendering

/// The record of an encoded output, by output key. Its bytes may have been evicted from the store.
struct StoredOutput: Hashable, Sendable {
  /// The file's SHA-256, under which the bytes are stored.
  var digest: ContentDigest
  var format: OutputFormat
  /// The width in pixels.
  var width: Int
  /// The height of one frame in pixels.
  var height: Int
  /// The number of frames, from 1.
  var frames = 1
  /// The file's size.
  var bytes: Int
  /// The rendering time in seconds.
  var seconds = 0.0
  /// nil if they weren't computed.
  var placeholders: Placeholders?

  init(_ image: RenderedFile, seconds: Double) {
    digest = image.digest
    format = image.format
    width = image.width
    height = image.height
    frames = image.frames
    bytes = image.bytes
    self.seconds = seconds
    placeholders = image.placeholders
  }

  var withoutPlaceholders: StoredOutput {
    var result = self
    result.placeholders = nil
    return result
  }
}

extension StoredOutput: StoreRow {
  static let table = StoreTable(
    "outputs",
    [
      .object, .text("format"), .integer("width"), .integer("height"), .integer("frames"),
      .integer("bytes"), .real("seconds"), .text("dominant_color"), .text("blur_hash"), .text("thumb_hash"),
      .text("data_uri"),
    ])

  var values: [StoreValue] {
    [
      .text(digest.hex), .text(format.rawValue), .integer(width), .integer(height), .integer(frames),
      .integer(bytes), .real(seconds), StoreValue(placeholders?.dominantColor),
      StoreValue(placeholders?.blurHash), StoreValue(placeholders?.thumbHash),
      StoreValue(placeholders?.dataURI),
    ]
  }

  init?(_ values: [StoreValue]) {
    guard values.count == 11, let digest = values[0].digest,
      let format = values[1].text.flatMap(OutputFormat.init(rawValue:)), let width = values[2].integer,
      let height = values[3].integer, let frames = values[4].integer, let bytes = values[5].integer,
      let seconds = values[6].real
    else { return nil }
    self.init(
      RenderedFile(
        format: format, width: width, height: height, frames: frames, bytes: bytes, digest: digest),
      seconds: seconds)
    if let color = values[7].text, let blurHash = values[8].text, let thumbHash = values[9].text,
      let dataURI = values[10].text
    {
      placeholders = Placeholders(
        dominantColor: color, blurHash: blurHash, thumbHash: thumbHash, dataURI: dataURI)
    }
  }
}

extension RenderedFile {
  /// Creates the facts from a record.
  init(_ stored: StoredOutput) {
    self.init(
      format: stored.format, width: stored.width, height: stored.height, frames: stored.frames,
      bytes: stored.bytes, digest: stored.digest, placeholders: stored.placeholders)
  }
}

extension [ContentDigest: StoredOutput] {
  /// The outputs that a run can use: if it wants placeholders, those that have them, and if not, all without theirs, so
  /// that its results don't depend on who has stored them.
  func usable(withPlaceholders: Bool) -> Self {
    withPlaceholders ? filter { $0.value.placeholders != nil } : mapValues(\.withoutPlaceholders)
  }
}
