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
  /// The command line's `--source`.
  var givenSources: [String: ImageSource] = [:]
  /// The manifest's `defaults`.
  var defaults: ManifestNode?
  /// The command line's encoder settings.
  var encoding = EncodingSettings()
  /// Whether `encoding` speaks for the output itself (`pipe --format`), so that a name with another extension
  /// contradicts it, or is only a default (`run --format`), which an extension beats.
  var encodingIsOwn = false
  var appendedChain: ChainTemplate?
  var outputTemplate: OutputTemplate?
  /// Whether a job may have keys of the user's own, which become its fields.
  var allowsOtherKeys = false

  init(_ options: ManifestOptions) {
    let directory = ManifestDirectory(path: options.directory, allowsOutside: options.allowsOutside)
    resolver = SourceResolver(base: options.base.flatMap(URLReference.init(parsing:)), directory: directory)
    root = SourceRoot(directory: options.directory, base: options.base)
    givenSources = options.namedSources
    encoding = options.encoding
    appendedChain = options.appendedChain
    outputTemplate = options.outputTemplate
  }
}
