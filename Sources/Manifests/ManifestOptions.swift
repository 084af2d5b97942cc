public import ImageBatch
public import ImageDownloads

/// What the command line adds to a manifest.
public struct ManifestOptions: Sendable {
  /// What relative paths are relative to, and what local sources must lie inside; empty is the process's own.
  public var directory = ""
  /// Whether sources and `output-dir` may lie outside of the directory.
  public var allowsOutside = false
  /// The variables that `origins` may use, with their values . The reader never looks at the process's.
  public var environment: [String: String] = [:]
  /// Encoder settings that go before a manifest's `defaults`, and behind what a job or an output says.
  public var encoding = EncodingSettings()
  /// Filters appended to every output's chain, with fields that each job fills in.
  public var appendedChain: ChainTemplate?
  /// The output of jobs that name none.
  public var outputTemplate: OutputTemplate?
  /// Named sources of the command line; they go before the manifest's.
  public var namedSources: [String: ImageSource] = [:]
  /// What a source without a scheme is resolved against where the manifest has no `base`.
  public var base: String?

  /// What complaints say of the options that the reading program has.
  public var hints = ManifestHints()

  /// No additions.
  public init() {}
}

/// The words that a program adds to complaints whose remedy may be one of its own options. Empty ones add nothing.
public struct ManifestHints: Sendable {
  /// Behind a path that lies outside of its directory.
  public var outside = ""
  /// Behind a variable of the environment that may not be used; `{}` stands for its name.
  public var variable = ""
  /// Behind a complaint about an encoder setting.
  public var encoding: @Sendable (EncodingError.Code) -> String = { _ in "" }

  /// No words.
  public init() {}
}
