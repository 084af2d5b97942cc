public import ImageCaches

/// The result of a request.
package struct RenderResponse: Sendable, Hashable {
  /// One result per recipe, in the recipes' order.
  package var outputs: [RenderedOutput]
  /// The source's header; nil if the source couldn't be opened.
  package var source: SourceFacts?
  /// Problems that don't fail an output.
  package var warnings: [String]
  /// Counts of the request's work.
  package var counts: RenderCounts
  /// Renditions that were written for later runs.
  package var renditions: [KeptRendition] = []
  /// The source's description, if it was requested.
  package var inspection: InspectionOutcome?

  /// Creates a response with the given fields.
  package init(
    outputs: [RenderedOutput], source: SourceFacts? = nil, warnings: [String] = [],
    counts: RenderCounts = RenderCounts()
  ) {
    self.outputs = outputs
    self.source = source
    self.warnings = warnings
    self.counts = counts
  }
}

/// The description of a source, or why there is none.
package enum InspectionOutcome: Sendable, Hashable, Codable {
  /// What the file has.
  case success(ImageInspection)
  /// The file can't be described, for this reason.
  case failure(RenderError)
}

/// The result of one recipe. It depends only on the source and the recipe, not on the request's other recipes.
package struct RenderedOutput: Sendable, Hashable {
  /// The recipe's ``RenderRecipe/id``.
  package var id: Int
  /// The file that was written, or the error.
  package var result: Result

  /// A recipe's file or error.
  package enum Result: Sendable, Hashable {
    case success(RenderedFile)
    /// No file was written, for this reason.
    case failure(RenderError)
  }

  /// Creates a result with the given fields.
  package init(id: Int, result: Result) {
    self.id = id
    self.result = result
  }
}

/// An encoded file at a recipe's temporary path.
public struct RenderedFile: Sendable, Hashable {
  /// The format of the file, one of the encoding's candidates.
  public var format: OutputFormat
  /// The width of the image in pixels.
  public var width: Int
  /// The height of one frame in pixels.
  public var height: Int
  /// The number of frames, from 1.
  public var frames: Int
  /// The file's size in bytes.
  public var bytes: Int
  /// The SHA-256 of the file's bytes.
  public var digest: ContentDigest
  /// The quality that the `max-bytes` search found, 1 to 100; nil if there was no search.
  public var quality: Int?
  /// Placeholders; nil if they weren't requested.
  public var placeholders: Placeholders?

  /// Creates the description of a file.
  /// - Parameters:
  ///   - format: The file's format.
  ///   - width: The width in pixels.
  ///   - height: The height of one frame in pixels.
  ///   - frames: The number of frames, from 1.
  ///   - bytes: The file's size in bytes.
  ///   - digest: The SHA-256 of the file's bytes.
  ///   - quality: The quality that the `max-bytes` search found, 1 to 100. Default: nil, no search.
  ///   - placeholders: Placeholders. Default: nil, not requested.
  public init(
    format: OutputFormat, width: Int, height: Int, frames: Int, bytes: Int, digest: ContentDigest,
    quality: Int? = nil, placeholders: Placeholders? = nil
  ) {
    (self.format, self.width, self.height, self.frames) = (format, width, height, frames)
    (self.bytes, self.digest, self.quality, self.placeholders) = (bytes, digest, quality, placeholders)
  }
}

/// Facts from a source's header.
package struct SourceFacts: Sendable, Hashable {
  /// The format by its signature: `jpeg`, `png` …
  package var format: String
  /// The width in pixels, after the orientation is applied.
  package var width: Int
  /// The height of one frame in pixels, after the orientation is applied.
  package var height: Int
  /// The number of frames, from 1.
  package var frames: Int
  /// The EXIF orientation, 1 to 8.
  package var orientation: Int
  /// Whether there is an alpha channel.
  package var hasAlpha: Bool
  /// Samples per pixel, alpha included; nil if an earlier version stored the facts.
  package var bands: Int?
  /// Bits per decoded sample; nil if an earlier version stored the facts.
  package var bitsPerSample: Int?
  /// Whether the image is progressive or interlaced; nil if an earlier version stored the facts.
  package var isProgressive: Bool?

  package init(
    format: String, width: Int, height: Int, frames: Int, orientation: Int, hasAlpha: Bool, bands: Int? = nil,
    bitsPerSample: Int? = nil, isProgressive: Bool? = nil
  ) {
    (self.format, self.width, self.height, self.frames) = (format, width, height, frames)
    (self.orientation, self.hasAlpha, self.bands) = (orientation, hasAlpha, bands)
    (self.bitsPerSample, self.isProgressive) = (bitsPerSample, isProgressive)
  }

  /// Whether the image has no color.
  package var isGray: Bool { (bands ?? 3) <= 2 }
}

/// Counts of a request's work.
package struct RenderCounts: Sendable, Hashable {
  /// The number of times that the source was decoded.
  package var decodes = 0
  /// The number of filters that ran: one per distinct prefix of the chains.
  package var filterRuns = 0
  /// The number of files that were encoded, including the attempts of a `max-bytes` search.
  package var encodes = 0
  /// The number of outputs that were made. Equal recipes count once.
  package var outputs = 0
  /// The number of renditions that were read from memory or the store instead of computed.
  package var renditionsReused = 0
  /// libvips' peak pixel memory since the process started, in bytes.
  package var memoryHighWater = 0

  /// Creates counts of zero.
  package init() {}
}

/// Placeholders to show while an image loads.
public struct Placeholders: Sendable, Hashable, Codable {
  /// The dominant color of the first frame as `#rrggbb`.
  public var dominantColor: String
  /// BlurHash (https://blurha.sh) of 4 by 3 components, or 3 by 4 for a portrait image.
  public var blurHash: String
  /// ThumbHash (https://evanw.github.io/thumbhash/) in Base64.
  public var thumbHash: String
  /// A tiny image as a `data:` URI.
  public var dataURI: String

  /// Creates placeholders.
  /// - Parameters:
  ///   - dominantColor: The dominant color as `#rrggbb`.
  ///   - blurHash: The BlurHash.
  ///   - thumbHash: The ThumbHash in Base64.
  ///   - dataURI: A tiny image as a `data:` URI.
  public init(dominantColor: String, blurHash: String, thumbHash: String, dataURI: String) {
    self.dominantColor = dominantColor
    self.blurHash = blurHash
    self.thumbHash = thumbHash
    self.dataURI = dataURI
  }
}
