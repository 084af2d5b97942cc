public import ImageCaches

/// What running a batch would do, output by output. It is made from what is stored: no request, no pixel.
public struct BatchPlan: Sendable {
  /// What would happen to an output.
  public enum Action: String, Sendable, Codable, CaseIterable {
    /// It is in place with the right bytes.
    case keep
    /// Its bytes are in the store.
    case copy
    /// The source is at hand; it would be rendered.
    case render
    /// The stored source is stale: its origin would be asked, and what follows depends on the answer.
    case revalidate
    /// The source would be downloaded first.
    case download
    /// It can't be made: two outputs have its path, or it would leave its directory.
    case refuse
  }

  /// One output's line of the plan.
  public struct Entry: Sendable, Hashable {
    /// The job's index, from 1.
    public var index: Int
    /// The source as it may be shown.
    public var source: String
    /// The path to write; nil where it depends on what isn't known yet.
    public var path: String?
    /// What would happen.
    public var action: Action
    /// Why, in words.
    public var reason: String
    /// The failure that ``reason`` is the message of, where nothing could be made.
    public var error: JobError?
    /// The chain's identifier.
    public var filter: String
    /// The format's name.
    public var format: String
    /// The source's digest, where it is stored.
    public var content: ContentDigest?
    /// The output key, where the source is stored.
    public var key: ContentDigest?
    /// What the key is made of, where the source is stored.
    public var recipe: OutputRecipe?
    /// The place in the manifest.
    public var location: ManifestLocation?
  }

  /// How much there would be to do.
  public struct Totals: Sendable, Hashable, Codable {
    /// Jobs of the batch.
    public var jobs = 0
    /// Outputs of the jobs.
    public var outputs = 0
    /// Distinct sources.
    public var sources = 0
    /// Sources that would be downloaded.
    public var downloads = 0
    /// Sources whose origins would be asked whether they have changed.
    public var revalidations = 0
    /// How often a source would be decoded.
    public var decodes = 0
    /// Filters that would run: one for each distinct beginning of a source's chains.
    public var filters = 0
    /// Distinct outputs that would be rendered and encoded.
    public var renderings = 0
    /// Whether a run makes exactly so many; false where a source has yet to be downloaded or confirmed, whose size or
    /// bytes may ask for more decodings or for nothing at all.
    public var isExact = true
    /// Outputs by what would happen to them.
    public var actions: [String: Int] = [:]
  }

  /// In the order of the groups.
  public package(set) var entries: [Entry] = []
  /// Files of earlier runs that the manifests no longer make: absolute paths, sorted.
  public internal(set) var stale: [String] = []
  /// All steps, where the planner was asked for them.
  public internal(set) var graph: PlanGraph?
  /// The sums.
  public internal(set) var totals = Totals()

  /// Stored sources of which only the origin knows whether they have changed.
  public var unknownSources: Int { totals.revalidations }

  /// Outputs that are missing or out of date.
  public var outOfDate: [Entry] { entries.filter { $0.action != .keep && !$0.isCurrent } }
}

extension BatchPlan.Entry {
  /// Whether the output is in place as far as what is stored tells: its origin may know better.
  public var isCurrent: Bool {
    action == .keep || reason == Self.inPlaceButStale || reason == Self.inPlaceOfPlaceholder
  }

  static let inPlaceButStale = "in place; the stored source is stale"
  static let inPlaceOfPlaceholder = "in place, made from the placeholder; the source isn't stored"
}
