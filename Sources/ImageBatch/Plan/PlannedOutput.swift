import ImageCaches
import ImageDownloads
import ImageRendering
import ObjectStorage

/// One output of a group with its key, path and state.
struct PlannedOutput: Sendable {
  /// The remaining work for the output.
  enum State: Sendable, Hashable {
    case unknown
    /// The file in place is up to date.
    case inPlace
    /// The policy keeps the file in place.
    case kept
    /// The bytes are in the store.
    case stored
    /// The output has to be rendered.
    case wanted
    case failed(JobError)
  }

  /// What never changes, shared by all copies.
  private final class Definition: Sendable {
    let job: Job
    let position: Int
    let output: JobOutput
    let directory: OutputDirectory

    init(_ job: Job, _ position: Int, _ output: JobOutput, _ directory: OutputDirectory) {
      (self.job, self.position, self.output, self.directory) = (job, position, output, directory)
    }
  }

  private let definition: Definition
  var state = State.unknown
  /// The output's cache key; nil if an auxiliary image failed.
  var key: ContentDigest?
  /// The expanded template, and its location on disk; nil until the values that the template needs are known.
  var path: String?
  var location: String?
  var values: OutputTemplate.Values
  /// Identifies the output in path claims if several sources could make it; nil if there is only one source.
  var alternatives: ContentDigest?
  /// The record of an earlier rendering.
  var known: StoredOutput?
  /// The digests of the images that the chain refers to, by reference.
  var auxiliary: [String: ContentDigest] = [:]

  /// - Parameter values: The values that all outputs of the job have.
  init(
    _ job: Job, position: Int, _ output: JobOutput, in directory: OutputDirectory,
    _ values: OutputTemplate.Values
  ) {
    definition = Definition(job, position, output, directory)
    self.values = values
    self.values.learn(output)
  }

  var job: Job { definition.job }
  /// The position in the job, from 0.
  var position: Int { definition.position }
  var output: JobOutput { definition.output }
  /// The directory that the path is relative to and must not leave.
  var directory: OutputDirectory { definition.directory }

  /// The parts of the key; nil if the source's digest isn't known.
  var recipe: OutputRecipe? {
    values.sourceDigest.map {
      OutputRecipe(output, source: job.displaySource, content: $0, auxiliary: auxiliary)
    }
  }
}

extension PlannedOutput {
  /// Every output of a group with its key, given the source.
  static func all(
    of group: JobGroup, source: StoredSource, _ auxiliary: AuxiliarySources,
    _ configuration: BatchConfiguration
  ) -> [PlannedOutput] {
    group.jobs.flatMap { job in
      let directory = OutputDirectory(
        root: job.outputDirectory ?? configuration.outputPath,
        allowsOutside: configuration.allowsOutside)
      let values = OutputTemplate.Values(job)
      return job.outputs.enumerated().map { position, output in
        var place = directory
        // The user has named the bucket, not a manifest.
        if output.template.isObject, output.template.text == configuration.commandTemplate {
          place = OutputDirectory(root: directory.root, allowsOutside: true)
        }
        var planned = PlannedOutput(job, position: position, output, in: place, values)
        planned.values.sourceDigest = source.digest
        if group.key.hasAlternatives {
          planned.alternatives = ContentDigest(hashing: LockFile.recipe(output, of: job).utf8)
        }
        do throws(JobError) {
          planned.auxiliary = try auxiliary.digests(of: output)
          planned.key = RenderKeys.output(
            of: source.digest, chain: output.chain, encoding: output.encoding, auxiliary: planned.auxiliary,
            onCorrupt: configuration.onCorrupt)
        } catch {
          planned.state = .failed(error)
        }
        return planned
      }
    }
  }

  /// Adds the record of an earlier run, so that a path that depends on the content is known before rendering.
  mutating func learn(_ stored: StoredOutput) {
    known = stored
    values.learn(RenderedFile(stored))
  }

  /// Expands the template if all its values are known.
  mutating func expandPath() throws(JobError) {
    guard key != nil, let expanded = output.template.expanded(values, variables: output.variables) else {
      return
    }
    path = expanded
    location = try directory.location(of: expanded, isObject: output.template.isObject)
  }

  /// The object to write; nil for a file, and as long as the path or the key isn't known.
  var objectPlace: ObjectPlaces.Place? {
    guard let key, let address = location.flatMap(OutputDirectory.object) else { return nil }
    let prefix = (try? output.template.objectPrefix()) ?? directory.prefix ?? address
    return ObjectPlaces.Place(address: address, prefix: prefix, output: key)
  }

  /// Claims the path for the output's key. If the path depends on the content, it is claimed for the content, because
  /// two outputs with equal content may share it.
  /// - Throws: `JobError` if another output or a source has the path.
  func claim(_ outputPaths: OutputPathRegistry) throws(JobError) {
    guard let key, let path, let location else { return }
    let dependsOnContent = output.template.needsRendering(
      variables: output.variables, choosesFormat: !output.encoding.alternatives.isEmpty)
    // With alternative sources, the output is the same one whichever source it is made from.
    let claimant = alternatives ?? (dependsOnContent ? values.rendered?.digest ?? key : key)
    guard outputPaths.claim(location, for: claimant) else { throw .conflict(path) }
    try outputPaths.checkSource(at: location, path: path)
  }
}
extension OutputTemplate.Values {
  /// Creates the values that are known before the source is read.
  package init(_ job: Job, _ output: JobOutput) {
    self.init(job)
    learn(output)
  }

  /// Creates the values that all outputs of a job have.
  init(_ job: Job) {
    let source = job.sources.first
    self.init(
      name: source?.fileName ?? "", host: source?.host ?? "", path: source?.directoryPath ?? "",
      index: job.index, format: nil, filter: "")
    directory = job.sourceDirectory ?? source?.directories.joined(separator: "/") ?? ""
  }

  mutating func learn(_ output: JobOutput) {
    format = output.encoding.alternatives.isEmpty ? output.encoding.format : nil
    filter = output.chain.displayIdentifier
  }

  mutating func learn(_ image: RenderedFile) {
    format = image.format
    rendered = (image.width, image.height, image.digest)
  }
}

extension JobError {
  /// The error for two outputs with the same path and different content.
  static func conflict(_ path: String) -> JobError {
    JobError(
      code: .outputConflict, stage: .write,
      message: "another output has the same path '\(path)' and different content; "
        + "make the paths differ with {index}, {name} or {hash}")
  }
}

extension JobOutput {
  /// The output's path, as the template has it; nil if it depends on the source's content.
  package func knownPath(of job: Job) -> String? {
    // Most templates of large manifests have no field, and need no values.
    template.fixedPath ?? template.expanded(.init(job, self), variables: variables)
  }

  /// The output's path under a directory.
  /// - Parameters:
  ///   - job: The output's job.
  ///   - directory: The output directory; nil or `.` for the current directory. Ignored for an absolute path.
  /// - Returns: The path. A template that needs the source's content is returned unexpanded.
  package func path(of job: Job, in directory: String?) -> String {
    let path = knownPath(of: job) ?? template.text
    if template.isObject { return path }
    guard let directory, directory != ".", !path.hasPrefix("/") else { return path }
    return directory + "/" + path
  }
}
