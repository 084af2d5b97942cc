public import struct FoundationEssentials.URL
public import ImageCaches

/// What a run would do, output by output. It is computed from the store, without requests or rendering.
public struct BatchPlan: Sendable {
  /// The action of a run for one output.
  public enum Action: String, Sendable, Codable, CaseIterable {
    /// The output is up to date.
    case keep
    /// Copy the bytes from the store.
    case copy
    /// Render from a stored or local source.
    case render
    /// Revalidate the stored source, which is stale; the rest depends on the response.
    case revalidate
    /// Download the source; the rest depends on its content.
    case download
    /// The output can't be made: its path conflicts with another output or leaves the directory.
    case refuse
  }

  /// The plan for one output of a job.
  public struct Entry: Sendable, Hashable {
    /// The job's index, from 1.
    public var index: Int
    /// The source's text without credentials.
    public var source: String
    /// The path to write; nil if it depends on content that isn't known yet.
    package var path: String?
    /// The file to write; nil if its path depends on content that isn't known yet.
    public var file: URL? { path.map { URL(filePath: $0) } }
    /// What a run would do about the output.
    public var action: Action
    /// The reason for the action, as text for the user.
    public var reason: String
    /// The error if the output can't be made, whose message is ``reason``; otherwise nil.
    public var error: JobError?
    /// The identifier of the filter chain; empty without filters.
    public var filter: String
    /// The name of the format, or of its candidates.
    public var format: String
    /// The source's digest; nil if it isn't stored.
    public var content: ContentDigest?
    /// The output's cache key; nil if the source isn't stored.
    public var key: ContentDigest?
    /// The parts of the key; nil if the source isn't stored.
    public var recipe: OutputRecipe?
    /// The location in the manifest; nil for outputs without one.
    public var location: ManifestLocation?
    /// The output's position in its job.
    var position = 0
  }

  /// How much work a run would do.
  public struct Totals: Sendable, Hashable, Codable {
    /// The number of jobs in the groups.
    public var jobs = 0
    /// The number of outputs of all jobs.
    public var outputs = 0
    /// The number of distinct sources of the groups.
    public var sources = 0
    /// Sources that a run would download.
    public var downloads = 0
    /// Sources to revalidate with their origins.
    public var revalidations = 0
    /// Decodings of sources that a run would do.
    public var decodes = 0
    /// Filters to run: one per distinct prefix of a source's chains.
    public var filters = 0
    /// Distinct outputs to render and encode.
    public var renderings = 0
    /// Whether the totals are exact. A source that has yet to be downloaded or revalidated may change them.
    public var isExact = true
    /// The number of outputs by ``Action``.
    public var actions: [String: Int] = [:]
  }

  /// A source whose outputs may take longer than the time limit of a rendering.
  public struct LongRendering: Sendable, Hashable, Codable {
    /// The source's text without credentials.
    public var source: String
    /// A coarse estimate of the time that rendering its outputs takes, in seconds. Expect it to be wrong by a factor of two
    /// or three.
    public var seconds: Double
    /// The time limit in seconds.
    public var limit: Double
  }

  /// One entry per output, in the order of the groups.
  public package(set) var entries: [Entry] = []
  /// Absolute paths of files from earlier runs that the manifests no longer make, sorted.
  public internal(set) var stale: [String] = []
  /// The stored sources whose outputs take longer than the time limit, by estimate; empty without a limit.
  public internal(set) var longRenderings: [LongRendering] = []
  /// The graph of all steps, if the planner was asked for it.
  package internal(set) var graph: PlanGraph?
  /// How much work a run would do.
  public internal(set) var totals = Totals()

  /// The number of stored sources that are stale.
  public var unknownSources: Int { totals.revalidations }

  /// Outputs that are missing or out of date.
  public var outOfDate: [Entry] { entries.filter { $0.action != .keep && !$0.isCurrent } }
}

extension BatchPlan.Entry {
  /// Whether the output is up to date with the store. A revalidation may still find a newer source.
  public var isCurrent: Bool {
    action == .keep || reason == Self.inPlaceButStale || reason == Self.inPlaceOfPlaceholder
  }

  static let inPlaceButStale = "up to date with the cached source, which is stale"
  static let inPlaceOfPlaceholder = "up to date with the placeholder; the source isn't cached"
}
