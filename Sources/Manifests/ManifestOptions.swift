package import ImageBatch
package import ImageDownloads

/// What the command line adds to a manifest.
package struct ManifestOptions: Sendable {
  /// What relative paths are relative to, and what local sources must lie inside; empty is the process's own.
  package var directory = ""
  /// Whether sources and `output-dir` may lie outside of the directory.
  package var allowsOutside = false
  /// The variables that `origins` may use, with their values . The reader never looks at the process's.
  package var environment: [String: String] = [:]
  /// Encoder settings that go before a manifest's `defaults`, and behind what a job or an output says.
  package var encoding = EncodingSettings()
  /// Filters appended to every output's chain, with fields that each job fills in.
  package var appendedChain: ChainTemplate?
  /// The output of jobs that name none.
  package var outputTemplate: OutputTemplate?
  /// Named sources of the command line; they go before the manifest's.
  package var namedSources: [String: ImageSource] = [:]
  /// What a source without a scheme is resolved against where the manifest has no `base`.
  package var base: String?

  /// What complaints say of the options that the reading program has.
  package var hints = ManifestHints()

  /// No additions.
  package init() {}
}

/// The words that a program adds to complaints whose remedy may be one of its own options. Empty ones add nothing.
package struct ManifestHints: Sendable {
  /// Behind a path that lies outside of its directory.
  package var outside = ""
  /// Behind a variable of the environment that may not be used; `{}` stands for its name.
  package var variable = ""
  /// Behind a complaint about an encoder setting.
  package var encoding: @Sendable (EncodingError.Code) -> String = { _ in "" }

  /// No words.
  package init() {}
}
