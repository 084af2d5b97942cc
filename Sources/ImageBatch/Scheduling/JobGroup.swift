import Collections
public import ImageCaches
public import ImageDownloads

/// Jobs with the same source, which is downloaded and decoded once for all of them.
public struct JobGroup: Sendable {
  /// The properties that all jobs of a group share.
  public struct Key: Hashable, Sendable {
    /// The source and its alternatives, tried in order.
    public let sources: [ImageSource]
    /// The SHA-256 that the source must have; nil for any.
    public let pinnedDigest: ContentDigest?
    /// The source that is used if all others fail; nil for none.
    public let placeholder: ImageSource?
    /// Whether the sources are versions of increasing quality.
    public let isProgressive: Bool
    /// The level of the jobs: a source that a job has made may be another one before.
    let level: Int

    /// Whether there are several sources, one of which makes the outputs.
    var hasAlternatives: Bool { sources.count > 1 || placeholder != nil }
  }

  var isProgressive: Bool { key.isProgressive }

  /// The properties that all jobs share.
  public let key: Key
  /// The jobs in the order of their indices; never empty.
  public internal(set) var jobs: [Job]

  /// Creates a group of one job.
  /// - Parameter job: The job, whose sources become the group's.
  public init(_ job: Job) {
    key = Key(
      sources: job.sources, pinnedDigest: job.pinnedDigest, placeholder: job.placeholder,
      isProgressive: job.isProgressive && job.sources.count > 1, level: job.level)
    jobs = [job]
  }

  /// The number of groups that have to end one after the other before this one can start.
  var level: Int { key.level }

  /// The highest priority of its jobs.
  public var priority: Int { jobs.reduce(Int.min) { max($0, $1.priority) } }

  /// Groups jobs by source, so that each source is downloaded and decoded once.
  /// - Parameter jobs: The jobs, in the order of their indices.
  /// - Returns: The groups, sorted by level, then by descending priority, then by their first job.
  public static func grouping(_ jobs: [Job]) -> [JobGroup] {
    var groups: OrderedDictionary<Key, JobGroup> = [:]
    for job in jobs {
      let group = JobGroup(job)
      groups[group.key, default: group.emptied].jobs.append(job)
    }
    return groups.values.enumerated()
      .sorted {
        ($0.element.level, $1.element.priority, $0.offset) < (
          $1.element.level, $0.element.priority, $1.offset
        )
      }
      .map(\.element)
  }

  private var emptied: JobGroup {
    var copy = self
    copy.jobs = []
    return copy
  }
}
