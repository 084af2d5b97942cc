public import ImageCaches

/// What became of a request.
public struct RenderResponse: Sendable, Hashable, Codable {
  /// One for each recipe, in the recipes' order.
  public var outputs: [RenderedOutput]
  /// What the source is; nil where it couldn't be opened.
  public var source: SourceFacts?
  /// What the user should know and that fails nothing.
  public var warnings: [String]
  /// What it cost.
  public var counts: RenderCounts
  /// Renditions that were written for later.
  public var renditions: [KeptRendition] = []

  /// A response.
  public init(
    outputs: [RenderedOutput], source: SourceFacts? = nil, warnings: [String] = [],
    counts: RenderCounts = RenderCounts()
  ) {
    self.outputs = outputs
    self.source = source
    self.warnings = warnings
    self.counts = counts
  }
}

/// What became of one recipe. It depends on the source and the recipe only: not on time, nor on other recipes.
public struct RenderedOutput: Sendable, Hashable, Codable {
  /// The recipe's.
  public var id: Int
  /// The file that was written, or why there is none.
  public var result: Result

  /// An output's end.
  public enum Result: Sendable, Hashable, Codable {
    case success(RenderedFile)
    case failure(JobError)
  }

  /// An output.
  public init(id: Int, result: Result) {
    self.id = id
    self.result = result
  }
}

/// An encoded file at a recipe's temporary path.
public struct RenderedFile: Sendable, Hashable, Codable {
  /// The format that it is in.
  public var format: OutputFormat
  /// In pixels.
  public var width: Int
  /// In pixels, of one frame.
  public var height: Int
  /// At least 1.
  public var frames: Int
  /// The file's size.
  public var bytes: Int
  /// The file's SHA-256.
  public var digest: ContentDigest
  /// The quality that `max-bytes` reached; nil where nothing was searched.
  public var quality: Int?
  /// On request.
  public var placeholders: Placeholders?
}

/// What a source's header says.
public struct SourceFacts: Sendable, Hashable, Codable {
  /// By its signature: `jpeg`, `png` …
  public var format: String
  /// In pixels, as a viewer sees it.
  public var width: Int
  /// In pixels, of one frame, as a viewer sees it.
  public var height: Int
  /// At least 1.
  public var frames: Int
  /// The EXIF orientation, 1 to 8.
  public var orientation: Int
  /// Whether it has an alpha channel.
  public var hasAlpha: Bool
  /// Numbers in each pixel, the alpha among them; nil in facts of an earlier version.
  public var bands: Int?
  /// Bits of each number, as it is decoded: 8 or 16; nil in facts of an earlier version.
  public var bitsPerSample: Int?
  /// Whether it is stored in several passes, from coarse to fine; nil in facts of an earlier version.
  public var isProgressive: Bool?

  /// Whether it has no colors.
  var isGray: Bool { (bands ?? 3) <= 2 }
}

/// What a request cost.
public struct RenderCounts: Sendable, Hashable, Codable {
  /// How often the source was decoded.
  public var decodes = 0
  /// How many filters ran: one for each distinct prefix of the chains.
  public var filterRuns = 0
  /// How many files were encoded, a search's attempts among them.
  public var encodes = 0
  /// How many outputs were made: equal recipes count once.
  public var outputs = 0
  /// How many renditions were taken from memory or from the store instead of being made.
  public var renditionsReused = 0
  /// The most pixel memory that libvips held since the process began, in bytes.
  public var memoryHighWater = 0

  /// Nothing yet.
  public init() {}
}

/// What stands for a picture until it is there.
public struct Placeholders: Sendable, Hashable, Codable {
  /// `#rrggbb`.
  public var dominantColour: String
  /// https://blurha.sh, 4 by 3 components.
  public var blurHash: String
  /// https://evanw.github.io/thumbhash/, in Base64.
  public var thumbHash: String
  /// A tiny picture as a `data:` URI.
  public var dataURI: String

  /// Placeholders that were made elsewhere.
  public init(dominantColour: String, blurHash: String, thumbHash: String, dataURI: String) {
    self.dominantColour = dominantColour
    self.blurHash = blurHash
    self.thumbHash = thumbHash
    self.dataURI = dataURI
  }
}
