package import ImageCaches
package import ImageFilters
package import SystemIO

/// A request to render outputs of one source, in this process or a worker. It refers to pixels by file only.
package struct RenderRequest: Sendable, Hashable {
  /// The source's name for messages, without credentials.
  package var sourceName: String
  /// The source's bytes.
  package var source: FilePlace
  /// The source's SHA-256.
  package var sourceDigest: ContentDigest
  /// Limits that are checked before decoding.
  package var limits: RenderLimits
  /// Whether a damaged source fails.
  package var onCorrupt: CorruptPolicy
  /// The images that overlays and masks refer to, by their text in the chain.
  package var auxiliary: [String: AuxiliarySource]
  /// The outputs to render.
  package var recipes: [RenderRecipe]
  /// Whether to compute ``Placeholders`` for each output.
  package var wantsPlaceholders: Bool
  /// The number of libvips threads per pipeline, from 1.
  package var concurrency: Int
  /// The estimated memory in bytes; nil if nothing is known about the source.
  package var memoryEstimate: Int?
  /// Whether to describe the source (``RenderResponse/inspection``) instead of rendering ``recipes``. Default: false.
  package var wantsInspection = false
  /// Renditions that are stored already, and which new ones to keep.
  package var renditions = RenditionPlan()

  /// The fonts and color profiles that a worker process can't open, by the path that names them. Default: none.
  package var files: [String: PlacedFile] = [:]

  /// Creates a request with the given fields.
  package init(
    sourceName: String = "", source: FilePlace, sourceDigest: ContentDigest,
    limits: RenderLimits = RenderLimits(),
    onCorrupt: CorruptPolicy = .fail, auxiliary: [String: AuxiliarySource] = [:], recipes: [RenderRecipe],
    wantsPlaceholders: Bool = false, concurrency: Int = 1
  ) {
    self.sourceName = sourceName
    self.source = source
    self.sourceDigest = sourceDigest
    self.limits = limits
    self.onCorrupt = onCorrupt
    self.auxiliary = auxiliary
    self.recipes = recipes
    self.wantsPlaceholders = wantsPlaceholders
    self.concurrency = concurrency
  }
}

/// Stored renditions that a request may use, and the policy for keeping new ones.
package struct RenditionPlan: Sendable, Hashable {
  /// Paths of renditions that an earlier rendering wrote, by key.
  package var stored: [ContentDigest: String] = [:]
  /// Paths for new renditions. Their count is the most that are kept.
  package var files: [String] = []
  /// Which renditions to keep.
  package var policy = RenditionPolicy.never

  /// A plan with no stored renditions that keeps none.
  package init() {}
}

/// Which renditions the disk store keeps for later runs.
public enum RenditionPolicy: String, Sendable, Codable, CaseIterable {
  /// Renditions that measurably cost more to compute than to read back.
  case auto
  /// Every candidate: where chains end or branch, and after an initial resize.
  case always
  /// No renditions are kept.
  case never
}

/// One output to render.
package struct RenderRecipe: Sendable, Hashable {
  /// The caller's identifier of the output.
  package var id: Int
  /// The filters to apply.
  package var chain: FilterChain
  /// The output's format and encoder options.
  package var encoding: Encoding
  /// The path that the encoded file is written to. The caller moves it into place.
  package var temporaryPath: String

  /// Creates a recipe with the given fields.
  package init(id: Int, chain: FilterChain, encoding: Encoding, temporaryPath: String) {
    self.id = id
    self.chain = chain
    self.encoding = encoding
    self.temporaryPath = temporaryPath
  }
}

/// An overlay, mask or other image that a chain refers to.
package struct AuxiliarySource: Sendable, Hashable {
  /// The image's bytes.
  package var place: FilePlace
  /// The image's SHA-256.
  package var digest: ContentDigest
  /// The image's name for messages, without credentials; if empty, its text in the chain is used.
  package var name: String

  /// Creates an auxiliary source with the given fields.
  package init(_ place: FilePlace, digest: ContentDigest, name: String = "") {
    self.place = place
    self.digest = digest
    self.name = name
  }
}

/// Limits that are checked against a file's header before decoding.
public struct RenderLimits: Sendable, Hashable, Codable {
  /// The most pixels, all frames together.
  public var maxPixels: Int
  /// The most frames of an animation.
  public var maxFrames: Int
  /// Formats to read besides ``FormatSupport/readableByDefault``: `svg`, `pdf`, `jxl` …
  public var allowedFormats: Set<String>
  /// The most memory for pixels, in bytes. Pixels beyond it go to a temporary file.
  public var memory: Int

  /// Creates limits.
  /// - Parameters:
  ///   - maxPixels: The most pixels, all frames together. Default: 268,402,689 (16383 x 16383).
  ///   - maxFrames: The most frames of an animation. Default: 1,000.
  ///   - allowedFormats: Formats to read besides the default ones. Default: none.
  ///   - memory: The most memory for pixels, in bytes. Default: 1 GiB.
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

/// The treatment of a damaged or truncated source.
public enum CorruptPolicy: String, Sendable, Codable, CaseIterable {
  /// The outputs fail with code `corrupt` or `truncated`.
  case fail
  /// Use what can be decoded, with a warning.
  case warn
}
