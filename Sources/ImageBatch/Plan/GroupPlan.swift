import ImageCaches
import ImageDownloads

/// One output of a group, with the key that says what its bytes depend on.
struct PlannedOutput: Sendable {
  let job: Job
  /// Its position in the job, from 0.
  let position: Int
  let output: Output
  /// What its path is relative to, and stays inside.
  let directory: OutputDirectory
  /// Its output key; nil where it failed before it had one.
  var key: ContentDigest?
  /// Why it can't be made.
  var error: JobError?
  /// The path as the template gives it, and where that is; nil until what it needs is known.
  var path: String?
  var location: String?
  /// What the template is filled with.
  var values: OutputTemplate.Values
  /// Claims the path where the content depends on which source can be used; nil where there is one source alone.
  var alternatives: ContentDigest?
  /// What is known of the bytes before they are made.
  var known: StoredOutput?
  /// Whether those bytes are in place.
  var isInPlace = false
  /// Whether a file that is to be kept is in its place.
  var isKept = false
  /// What the key is made of; nil where it failed before it had one.
  var recipe: OutputRecipe? {
    values.sourceDigest.map {
      OutputRecipe(output, source: job.displaySource, content: $0, auxiliary: auxiliary)
    }
  }
  /// The contents of the pictures that the chain names.
  var auxiliary: [String: ContentDigest] = [:]
}

/// What a group whose source is at hand makes.
struct GroupPlan: Sendable {
  private(set) var outputs: [PlannedOutput]
  /// When the store was asked for what it has, in seconds of the monotonic clock.
  var lookedUpAt = -Double.infinity
  /// The first output of each key.
  private let firstByKey: [ContentDigest: Int]
  let auxiliary: AuxiliarySources

  /// Gives every output of the group its key.
  init(
    _ group: JobGroup, source: StoredSource, auxiliary: AuxiliarySources, configuration: BatchConfiguration
  ) {
    self.auxiliary = auxiliary
    outputs = group.jobs.flatMap { job in
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
          let digests = try auxiliary.digests(of: output)
          planned.auxiliary = digests
          planned.key = RenderKeys.output(
            of: source.digest, chain: output.chain, encoding: output.encoding, auxiliary: digests)
        } catch {
          planned.error = error
        }
        return planned
      }
    }
    firstByKey = Dictionary(
      outputs.enumerated().compactMap { index, output in output.key.map { ($0, index) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The keys to be made, each once, in the order of the outputs.
  var wantedKeys: [ContentDigest] {
    var seen: Set<ContentDigest> = []
    return outputs.compactMap { output in
      guard output.error == nil, !output.isInPlace, !output.isKept, let key = output.key,
        seen.insert(key).inserted
      else {
        return nil
      }
      return key
    }
  }

  /// One output that has the key: any of them gives the same bytes.
  func output(for key: ContentDigest) -> Output? {
    firstByKey[key].map { outputs[$0].output }
  }

  /// Takes in what earlier runs have stored, so that paths that depend on it are known before it is made again.
  mutating func learn(_ known: [ContentDigest: StoredOutput]) {
    for index in outputs.indices {
      guard let key = outputs[index].key, let stored = known[key] else { continue }
      outputs[index].known = stored
      outputs[index].values.learn(RenderedFile(stored, format: outputs[index].output.encoding.format))
    }
  }

  /// Gives every output its path where that is known already; a path that another output has is an error.
  mutating func claimPaths(_ claims: OutputClaims) {
    for index in outputs.indices where outputs[index].error == nil {
      do throws(JobError) {
        try outputs[index].claimPath(claims)
      } catch {
        outputs[index].error = error
      }
    }
  }

  /// Marks outputs that need nothing.
  mutating func settle(_ survey: OutputWriter.Survey) {
    for index in survey.inPlace { outputs[index].isInPlace = true }
    for index in survey.kept { outputs[index].isKept = true }
  }
}

extension PlannedOutput {
  /// Fills the template in, if all that it needs is known, and claims the path: for the key, or for the content
  /// where the path depends on that (two outputs of one content may share such a path).
  mutating func claimPath(_ claims: OutputClaims) throws(JobError) {
    guard let key, let expanded = output.template.expanded(values, variables: output.variables) else {
      return
    }
    path = expanded
    let location = try directory.location(of: expanded)
    let dependsOnContent = output.template.needsRendering(
      variables: output.variables, choosesFormat: !output.encoding.alternatives.isEmpty)
    // An output of alternative sources is one output, whichever of them it is made of.
    let claimant = alternatives ?? (dependsOnContent ? values.rendered?.digest ?? key : key)
    guard claims.claim(location, for: claimant) else { throw .conflict(expanded) }
    try claims.checkSource(at: location, path: expanded)
    self.location = location
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
      code: "output-conflict", stage: .write,
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
