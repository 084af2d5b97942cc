public import ImageBatch

/// Finds records of a stream whose outputs have one path and different content, for who reads the stream to its end
/// and runs nothing.
///
/// Hashes stand for paths and contents, since a stream may have a million of them.
public struct RecordConflicts: Sendable {
  private struct Claim {
    var content: Int
    var line: Int
  }

  private var claims: [Int: Claim] = [:]

  /// Nothing is claimed yet.
  public init() {}

  /// Claims the paths of a job's outputs, as far as they are known before it runs; what is wrong where an earlier one
  /// has one of them.
  public mutating func claim(_ job: Job) -> ManifestDiagnostic? {
    var found: ManifestDiagnostic?
    for output in job.outputs {
      guard let path = OutputConflicts.path(of: output, job) else { continue }
      let content = OutputConflicts.Content(output, of: job).hashValue
      let place = output.location ?? job.location
      if let holder = claims[path.hashValue] {
        guard holder.content != content, found == nil else { continue }
        let line = place?.line ?? 1
        found = ManifestDiagnostic(
          file: place?.file ?? "-", line: line, column: place?.column ?? 1,
          message: OutputConflicts.message(path, line: line, first: holder.line))
      } else {
        claims[path.hashValue] = Claim(content: content, line: place?.line ?? 1)
      }
    }
    return found
  }
}
