import ImageBatch
import ImageDownloads
import ImageFilters
import SystemIO
import ImageRendering

/// The context for reading a job: names and defaults of the manifest and of the command line.
struct JobContext: Sendable {
  var resolver: SourceResolver
  /// The root that `{dir}` is relative to.
  var root: SourceRoot
  var named: [String: FilterChain] = [:]
  /// The manifest's `sources`.
  var sources: [String: ImageSource] = [:]
  /// The command line's named sources.
  var givenSources: [String: ImageSource] = [:]
  /// The manifest's `defaults`.
  var defaults: ManifestNode?
  /// The command line's encoder settings.
  var encoding = EncodingSettings()
  /// Settings of the user's environment, before the manifest's `defaults` and after them.
  var preferredEncoding = EncodingSettings()
  var fallbackEncoding = EncodingSettings()
  /// Whether `encoding` applies to the output itself, so that a different extension is an error. That is so for a
  /// stream's records; for a manifest's jobs `encoding` is a default, which an extension overrides.
  var encodingIsOwn = false
  var appendedChain: ChainTemplate?
  var outputTemplate: OutputTemplate?
  /// Whether a job may have unknown keys, which become its fields.
  var allowsOtherKeys = false

  /// The program's hints about its options.
  var hints = ManifestHints()

  init(_ options: ManifestOptions) {
    hints = options.hints
    let directory = ManifestDirectory(
      path: options.directory, allowsOutside: options.allowsOutside, outsideHint: options.hints.outside,
      name: options.hints.directory)
    resolver = SourceResolver(base: options.base.flatMap(URLReference.init(parsing:)), directory: directory)
    root = SourceRoot(directory: options.directory, base: options.base)
    givenSources = options.namedSources
    encoding = options.encoding
    preferredEncoding = options.preferredEncoding
    fallbackEncoding = options.fallbackEncoding
    appendedChain = options.appendedChain
    outputTemplate = options.outputTemplate
  }
}
