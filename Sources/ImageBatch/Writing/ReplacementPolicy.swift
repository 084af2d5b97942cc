/// The files that an output may replace. Whatever the policy, a file is replaced whole, by a rename in its
/// directory.
public struct ReplacementPolicy: Sendable, Hashable {
  /// Whether an output may replace a source of the same run. Default: false.
  public var allowsSources = false
  /// Whether a file that no run has written, or that was edited since, is kept. Default: false, it is
  /// replaced.
  public var keepsForeignFiles = false

  /// Creates the default policy: no sources, any other file.
  public init() {}
}

extension JobError {
  /// The error for an output that would overwrite a source.
  static func overwritesSource(_ path: String) -> JobError {
    JobError(
      code: .overwritesSource, stage: .write,
      message: "the output '\(path)' would replace a source of this run")
  }

  /// The error for a source that an earlier output of the same run replaces, so that it is lost.
  static func sourceReplaced(_ path: String) -> JobError {
    JobError(
      code: .overwritesSource, stage: .write,
      message: "an earlier output of this run replaced the source '\(path)'")
  }
}
