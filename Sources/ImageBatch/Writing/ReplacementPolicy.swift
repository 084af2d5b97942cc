/// What an output may replace. Whatever the policy, a file is replaced whole, by a rename in its own directory.
public struct ReplacementPolicy: Sendable, Hashable {
  /// Whether an output may take the place of a source of the same run (default: false).
  public var allowsSources = false
  /// Whether a file that no run has written, or that was edited since, stays (default: false: it is replaced).
  public var keepsForeignFiles = false

  /// The default policy.
  public init() {}
}

extension JobError {
  /// An output in a source's place.
  static func overwritesSource(_ path: String) -> JobError {
    JobError(
      code: .overwritesSource, stage: .write,
      message: "the output '\(path)' would replace a source of this run")
  }
}
