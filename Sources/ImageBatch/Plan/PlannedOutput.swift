import ImageCaches
import ImageDownloads

/// One output of a group, with the key that says what its bytes depend on.
struct PlannedOutput: Sendable {
  /// What is known of the steps that make it.
  enum State: Sendable, Hashable {
    /// Nothing yet.
    case unknown
    /// The right bytes are in place.
    case inPlace
    /// A file that is to be kept is in its place.
    case kept
    /// Its bytes are in the store.
    case stored
    /// It has to be rendered.
    case wanted
    /// It can't be made.
    case failed(JobError)
  }

  let job: Job
  /// Its position in the job, from 0.
  let position: Int
  let output: Output
  /// What its path is relative to, and stays inside.
  let directory: OutputDirectory
  var state = State.unknown
  /// Its output key; nil where it failed before it had one.
  var key: ContentDigest?
  /// The path as the template gives it, and where that is; nil until what it needs is known.
  var path: String?
  var location: String?
  /// What the template is filled with.
  var values: OutputTemplate.Values
  /// Claims the path where the content depends on which source can be used; nil where there is one source alone.
  var alternatives: ContentDigest?
  /// What is known of the bytes before they are made.
  var known: StoredOutput?
  /// The contents of the images that the chain names.
  var auxiliary: [String: ContentDigest] = [:]

  /// What the key is made of; nil where it failed before it had one.
  var recipe: OutputRecipe? {
    values.sourceDigest.map {
      OutputRecipe(output, source: job.displaySource, content: $0, auxiliary: auxiliary)
    }
  }
}

extension PlannedOutput {
  /// Every output of a group whose source is at hand, with its key.
  static func all(
    of group: JobGroup, source: StoredSource, _ auxiliary: AuxiliarySources,
    _ configuration: BatchConfiguration
  ) -> [PlannedOutput] {
    group.jobs.flatMap { job in
      let directory = OutputDirectory(
        root: job.outputDirectory ?? configuration.outputDirectory,
        allowsOutside: configuration.allowsOutside)
      return job.outputs.enumerated().map { position, output in
        var planned = PlannedOutput(
          job: job, position: position, output: output, directory: directory, values: .init(job, output))
        planned.values.sourceDigest = source.digest
        if group.key.hasAlternatives {
          planned.alternatives = ContentDigest(hashing: LockFile.recipe(output, of: job).utf8)
        }
        do throws(JobError) {
          planned.auxiliary = try auxiliary.digests(of: output)
          planned.key = RenderKeys.output(
            of: source.digest, chain: output.chain, encoding: output.encoding, auxiliary: planned.auxiliary)
        } catch {
          planned.state = .failed(error)
        }
        return planned
      }
    }
  }

  /// Takes in what an earlier run has stored, so that a path that depends on it is known before it is made again.
  mutating func learn(_ stored: StoredOutput) {
    known = stored
    values.learn(RenderedFile(stored))
  }

  /// Fills the template in, if all that it needs is known.
  mutating func expandPath() throws(JobError) {
    guard key != nil, let expanded = output.template.expanded(values, variables: output.variables) else {
      return
    }
    path = expanded
    location = try directory.location(of: expanded)
  }

  /// Claims the path: for the key, or for the content where the path depends on that (two outputs of one content may
  /// share such a path).
  func claim(_ claims: OutputClaims) throws(JobError) {
    guard let key, let path, let location else { return }
    let dependsOnContent = output.template.needsRendering(
      variables: output.variables, choosesFormat: !output.encoding.alternatives.isEmpty)
    // An output of alternative sources is one output, whichever of them it is made of.
    let claimant = alternatives ?? (dependsOnContent ? values.rendered?.digest ?? key : key)
    guard claims.claim(location, for: claimant) else { throw .conflict(path) }
    try claims.checkSource(at: location, path: path)
  }
}
extension OutputTemplate.Values {
  /// What is known of an output before its source is read.
  package init(_ job: Job, _ output: Output) {
    let source = job.sources.first
    self.init(
      name: source?.fileName ?? "", host: source?.host ?? "", path: source?.directoryPath ?? "",
      index: job.index, format: output.encoding.alternatives.isEmpty ? output.encoding.format : nil,
      filter: output.chain.identifier)
    directory = job.sourceDirectory ?? source?.directories.joined(separator: "/") ?? ""
  }

  /// Takes in what is known of an output when it has been rendered.
  mutating func learn(_ image: RenderedFile) {
    format = image.format
    rendered = (image.width, image.height, image.digest)
  }
}

extension JobError {
  /// Two outputs with one path.
  static func conflict(_ path: String) -> JobError {
    JobError(
      code: .outputConflict, stage: .write,
      message: "another output of this run has the path '\(path)' and different content; "
        + "tell them apart with {index}, {name} or {hash}")
  }
}

extension Output {
  /// Its path below `directory`, as far as it is known before anything is read: a template that needs more is returned
  /// unexpanded.
  public func path(of job: Job, in directory: String?) -> String {
    let path = template.expanded(.init(job, self), variables: variables) ?? template.text
    guard let directory, directory != ".", !path.hasPrefix("/") else { return path }
    return directory + "/" + path
  }
}
