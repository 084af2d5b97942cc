import ImageCaches
import ImageDownloads

/// One output of a group, with the key that says what its bytes depend on.
struct PlannedOutput: Sendable {
  let job: Job
  /// Its position in the job, from 0.
  let position: Int
  let output: Output
  /// Its output key; nil where it failed before it had one.
  var key: ContentDigest?
  /// Why it can't be made.
  var error: JobError?
  /// The path as the template gives it, and where that is; nil until what it needs is known.
  var path: String?
  var location: String?
  /// What the template is filled with.
  var values: OutputTemplate.Values
}

/// What a group whose source is at hand makes.
struct GroupPlan: Sendable {
  private(set) var outputs: [PlannedOutput]
  let auxiliary: AuxiliarySources

  /// Gives every output of the group its key.
  init(_ group: JobGroup, source: StoredSource, auxiliary: AuxiliarySources) {
    self.auxiliary = auxiliary
    outputs = group.jobs.flatMap { job in
      job.outputs.enumerated().map { position, output in
        var planned = PlannedOutput(job: job, position: position, output: output, values: .init(job, output))
        planned.values.sourceDigest = source.digest
        do throws(JobError) {
          let digests = try auxiliary.digests(of: output)
          planned.key = RenditionKey.output(
            content: source.digest, auxiliary: digests, chain: output.chain, encoding: output.encoding)
        } catch {
          planned.error = error
        }
        return planned
      }
    }
  }

  /// The keys to be made, each once, in the order of the outputs.
  var wantedKeys: [ContentDigest] {
    var seen: Set<ContentDigest> = []
    return outputs.compactMap { output in
      guard output.error == nil, let key = output.key, seen.insert(key).inserted else { return nil }
      return key
    }
  }

  /// One output that has the key: any of them gives the same bytes.
  func output(for key: ContentDigest) -> Output? {
    outputs.first { $0.key == key }?.output
  }

  /// Gives an output its path where that is known before rendering; a path that another output has is an error.
  mutating func claimPaths(_ claims: OutputClaims, _ directory: OutputDirectory) {
    for index in outputs.indices {
      guard outputs[index].error == nil, let key = outputs[index].key else { continue }
      do throws(JobError) {
        try outputs[index].resolvePath(directory)
        if let location = outputs[index].location, !claims.claim(location, for: key) {
          throw .conflict(outputs[index].path ?? location)
        }
      } catch {
        outputs[index].error = error
      }
    }
  }
}

extension PlannedOutput {
  /// Fills the template in, if all that it needs is known.
  mutating func resolvePath(_ directory: OutputDirectory) throws(JobError) {
    guard let expanded = output.template.expanded(values, variables: output.variables) else { return }
    path = expanded
    location = try directory.location(of: expanded)
  }
}

extension OutputTemplate.Values {
  /// What is known of an output before its source is read.
  init(_ job: Job, _ output: Output) {
    let source = job.sources.first
    self.init(
      name: source?.fileName ?? "", host: source?.host ?? "", path: source?.directoryPath ?? "",
      index: job.index, format: output.encoding.format, filter: output.chain.identifier)
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
