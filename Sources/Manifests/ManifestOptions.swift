package import ImageBatch
package import ImageDownloads
package import ImageRendering

/// The command line's settings for a manifest.
package struct ManifestOptions: Sendable {
  /// The directory that relative paths start from, and that local sources must lie inside; empty for the working
  /// directory.
  package var directory = ""
  /// Whether sources and `output-dir` may lie outside the directory.
  package var allowsOutside = false
  /// The variables that `origins` may use, with their values. The process's environment isn't read.
  package var environment: [String: String] = [:]
  /// The variables that `origins` may use and that aren't set.
  package var unsetVariables: Set<String> = []
  /// Encoder settings that override a manifest's `defaults`; jobs and outputs override them.
  package var encoding = EncodingSettings()
  /// Encoder settings that override a manifest's `defaults` where the output's format has them.
  package var preferredEncoding = EncodingSettings()
  /// Encoder settings that a manifest's `defaults` override, where the output's format has them.
  package var fallbackEncoding = EncodingSettings()
  /// Filters appended to every output's chain, with fields that each job fills in.
  package var appendedChain: ChainTemplate?
  /// The output template of jobs without their own.
  package var outputTemplate: OutputTemplate?
  /// The command line's named sources, which override the manifest's.
  package var namedSources: [String: ImageSource] = [:]
  /// Whether outputs in the place of a directory, or of a source of their own job, are mistakes. A run checks that itself,
  /// once it knows its output directory.
  package var checksPlaces = false
  /// Whether they are checked in a manifest with other mistakes; one without is checked with others before it runs.
  package var protectsSources = false
  /// The directory of outputs; nil for the manifest's own.
  package var outputDirectory: String?
  /// Whether the directory that a manifest names comes before ``outputDirectory``.
  package var yieldsToManifests = false
  /// The base URL of a manifest without `base`.
  package var base: String?

  /// The settings that the program has.
  package var settings = KnownSettings()

  /// Hints about the program's options, for diagnostics.
  package var hints = ManifestHints()

  /// Makes default options.
  package init() {}
}

/// Hints about a program's options, which are appended to diagnostics.
package struct ManifestHints: Sendable {
  /// What messages call the directory that local sources must lie inside.
  package var directory = "the manifest's directory"
  /// The hint for a path outside its directory.
  package var outside = ""
  /// The hint for an environment variable that isn't allowed; `{}` is replaced by its name.
  package var variable = ""
  /// The beginning of an error in the appended chain.
  package var chain = "the appended chain: "
  /// The beginning of an error in the output template.
  package var template = "the output template: "
  /// The hint for jobs without an output path.
  package var noTemplate = ""
  /// The hint for the command line's quality if the format has none.
  package var noQuality = ""
  /// The hint for an output that would replace a source.
  package var overwrite = ""
  /// The hint for an image in place of a manifest.
  package var image = ""
  /// The hint for a list whose lines end in NUL.
  package var nulSeparated = ""
  /// The message of an error in an encoder setting, with its hint.
  package var encoding: @Sendable (EncodingSettingsError) -> String = { $0.message }

  /// Makes hints that name no options.
  package init() {}
}
