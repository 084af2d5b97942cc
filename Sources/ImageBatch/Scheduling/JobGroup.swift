import Collections
public import ImageCaches
public import ImageDownloads

/// Jobs that read one source in one way: they are downloaded and decoded together.
public struct JobGroup: Sendable {
  /// What jobs of one group have in common.
  public struct Key: Hashable, Sendable {
    /// Tried in order.
    public let sources: [ImageSource]
    /// The SHA-256 that the source must have.
    public let pinnedDigest: ContentDigest?
    /// Used when every source fails.
    public let placeholder: ImageSource?
    /// Whether the sources are versions of rising quality.
    public let isProgressive: Bool

    /// Whether the outputs' content depends on which of several sources can be used.
    var hasAlternatives: Bool { sources.count > 1 || placeholder != nil }
  }

  /// Whether the sources are versions of rising quality.
  var isProgressive: Bool { key.isProgressive }

  /// What the jobs have in common.
  public let key: Key
  /// In the order of their indices; never empty.
  public internal(set) var jobs: [Job]

  /// A group of one job.
  public init(_ job: Job) {
    key = Key(
      sources: job.sources, pinnedDigest: job.pinnedDigest, placeholder: job.placeholder,
      isProgressive: job.isProgressive && job.sources.count > 1)
    jobs = [job]
  }

  /// The highest of its jobs' priorities.
  public var priority: Int { jobs.reduce(Int.min) { max($0, $1.priority) } }

  /// All of a manifest's jobs by source: groups in the order of their first jobs, higher priorities before.
  public static func grouping(_ jobs: [Job]) -> [JobGroup] {
    var groups: OrderedDictionary<Key, JobGroup> = [:]
    for job in jobs {
      let group = JobGroup(job)
      groups[group.key, default: group.emptied].jobs.append(job)
    }
    return groups.values.enumerated()
      .sorted { ($1.element.priority, $0.offset) < ($0.element.priority, $1.offset) }
      .map(\.element)
  }

  private var emptied: JobGroup {
    var copy = self
    copy.jobs = []
    return copy
  }
}
