import ImageCaches

/// An encoded output that the store may still have: where its bytes are, and what a report says about it. By output key.
struct StoredOutput: Hashable, Sendable {
  /// The encoded bytes.
  var digest: ContentDigest
  var format: OutputFormat
  /// In pixels.
  var width: Int
  /// In pixels, of one frame.
  var height: Int
  /// At least 1.
  var frames = 1
  /// The encoded size.
  var bytes: Int
  /// What making it took, in seconds.
  var seconds = 0.0
  /// nil where they weren't made.
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

  /// The same without placeholders.
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
      .integer(bytes), .real(seconds), StoreValue(placeholders?.dominantColour),
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
        dominantColour: color, blurHash: blurHash, thumbHash: thumbHash, dataURI: dataURI)
    }
  }
}

extension RenderedFile {
  /// What the index has recorded of it.
  init(_ stored: StoredOutput) {
    self.init(
      format: stored.format, width: stored.width, height: stored.height, frames: stored.frames,
      bytes: stored.bytes, digest: stored.digest, placeholders: stored.placeholders)
  }
}
