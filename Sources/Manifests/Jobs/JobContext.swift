import ImageBatch
import ImageDownloads
import ImageFilters
import SystemIO

/// What a job is read against: the manifest's names and defaults, and the command line's.
struct JobContext: Sendable {
  var resolver: SourceResolver
  /// What `{dir}` is relative to.
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
  /// Whether `encoding` speaks for the output itself as it does for a stream's records, so that a name with another extension
  /// contradicts it, or is only a default as it is for a manifest's jobs, which an extension beats.
  var encodingIsOwn = false
  var appendedChain: ChainTemplate?
  var outputTemplate: OutputTemplate?
  /// Whether a job may have keys of the user's own, which become its fields.
  var allowsOtherKeys = false

  /// The program's words about its options.
  var hints = ManifestHints()

  init(_ options: ManifestOptions) {
    hints = options.hints
    let directory = ManifestDirectory(
      path: options.directory, allowsOutside: options.allowsOutside, outsideHint: options.hints.outside)
    resolver = SourceResolver(base: options.base.flatMap(URLReference.init(parsing:)), directory: directory)
    root = SourceRoot(directory: options.directory, base: options.base)
    givenSources = options.namedSources
    encoding = options.encoding
    appendedChain = options.appendedChain
    outputTemplate = options.outputTemplate
  }
}
