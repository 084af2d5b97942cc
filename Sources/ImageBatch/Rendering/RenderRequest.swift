public import ImageCaches
public import ImageFilters

/// All that is needed to make outputs of one source, in this process or another. Pixels never cross.
public struct RenderRequest: Sendable, Hashable, Codable {
  /// The source as it may be shown.
  public var sourceName: String
  /// The source's bytes.
  public var sourcePath: String
  /// Their SHA-256.
  public var sourceDigest: ContentDigest
  /// What is refused before it costs anything.
  public var limits: RenderLimits
  /// What is done about a source that is damaged.
  public var onCorrupt: CorruptPolicy
  /// The pictures that overlays and masks name, by the text that names them in the chain.
  public var auxiliary: [String: AuxiliarySource]
  /// What is made.
  public var recipes: [RenderRecipe]
  /// Whether dominant colour, BlurHash, ThumbHash and data URI are wanted for each output.
  public var wantsPlaceholders: Bool
  /// How many threads may work on one pipeline, from 1.
  public var concurrency: Int
  /// What it needs by its estimate, in bytes; nil where nothing is known of the source.
  public var memoryEstimate: Int?
  /// Renditions at hand, and which to keep.
  public var renditions = RenditionPlan()

  /// A request.
  public init(
    sourceName: String = "", sourcePath: String, sourceDigest: ContentDigest,
    limits: RenderLimits = RenderLimits(),
    onCorrupt: CorruptPolicy = .fail, auxiliary: [String: AuxiliarySource] = [:], recipes: [RenderRecipe],
    wantsPlaceholders: Bool = false, concurrency: Int = 1
  ) {
    self.sourceName = sourceName
    self.sourcePath = sourcePath
    self.sourceDigest = sourceDigest
    self.limits = limits
    self.onCorrupt = onCorrupt
    self.auxiliary = auxiliary
    self.recipes = recipes
    self.wantsPlaceholders = wantsPlaceholders
    self.concurrency = concurrency
  }
}

/// Which renditions needn't be made, and which are written for later.
public struct RenditionPlan: Sendable, Hashable, Codable {
  /// Those at hand, by key: paths of files that a rendering before this one has written.
  public var stored: [ContentDigest: String] = [:]
  /// Files that may be written: as many as there may be renditions worth keeping.
  public var files: [String] = []
  /// Which of them are.
  public var policy = RenditionPolicy.never

  /// Nothing at hand, and nothing kept.
  public init() {}
}

/// Which renditions are kept in the disk store for later runs.
public enum RenditionPolicy: String, Sendable, Codable, CaseIterable {
  /// Those that cost more to make again than to read back, as measured when they are made.
  case auto
  /// All that are looked at: where chains end or part, and after a first resize.
  case always
  /// None.
  case never
}

/// One output that is wanted.
public struct RenderRecipe: Sendable, Hashable, Codable {
  /// The caller's name for it.
  public var id: Int
  /// The filters.
  public var chain: FilterChain
  /// The format and its options.
  public var encoding: Encoding
  /// Where the encoded bytes are written; the caller puts them in place.
  public var temporaryPath: String

  /// A recipe.
  public init(id: Int, chain: FilterChain, encoding: Encoding, temporaryPath: String) {
    self.id = id
    self.chain = chain
    self.encoding = encoding
    self.temporaryPath = temporaryPath
  }
}

/// A picture that a chain names.
public struct AuxiliarySource: Sendable, Hashable, Codable {
  /// Its bytes.
  public var path: String
  /// Their SHA-256.
  public var digest: ContentDigest
  /// The source as it may be shown; empty for the text that names it in the chain.
  public var name: String

  /// A picture at a path.
  public init(path: String, digest: ContentDigest, name: String = "") {
    self.path = path
    self.digest = digest
    self.name = name
  }
}

/// What is refused, from a file's header, before any pixel is made.
public struct RenderLimits: Sendable, Hashable, Codable {
  /// Pixels of all frames together.
  public var maxPixels: Int
  /// Frames of an animation.
  public var maxFrames: Int
  /// Names of readers beyond the safe ones (`svg`, `pdf`, `jxl` …), as `--allow-format` takes them.
  public var allowedFormats: Set<String>
  /// What pixels in memory may take, in bytes.
  public var memory: Int

  /// Limits; without arguments, the command's defaults and 1 GiB.
  public init(
    maxPixels: Int = 268_402_689, maxFrames: Int = 1000, allowedFormats: Set<String> = [],
    memory: Int = 1 << 30
  ) {
    self.maxPixels = maxPixels
    self.maxFrames = maxFrames
    self.allowedFormats = allowedFormats
    self.memory = memory
  }
}

/// What is done about a source that is damaged or cut off.
public enum CorruptPolicy: String, Sendable, Codable, CaseIterable {
  /// Its outputs fail.
  case fail
  /// What can be read is used, with a warning.
  case warn
}
