import Manifests

/// Finds outputs of several manifests that have the same path and different content, before anything starts.
struct ManifestConflicts {
  /// The reader of a manifest has already found conflicts within it.
  private let isNeeded: Bool
  private var conflicts = RecordConflicts()
  private var sums = DiagnosticSums()

  init(manifests: Int) { isNeeded = manifests > 1 }

  /// Claims the paths of all outputs of a manifest.
  mutating func add(_ manifest: Manifest, outputDirectory: String) {
    guard isNeeded else { return }
    for var job in manifest.jobs {
      job.outputDirectory = outputDirectory
      if let found = conflicts.claim(job) { sums.note(found) }
    }
    for var rows in manifest.rows {
      rows.outputDirectory = outputDirectory
      for case .success(let job) in rows {
        if let found = conflicts.claim(job) { sums.note(found) }
      }
    }
  }

  func throwIfAny() throws {
    if !sums.isEmpty { throw ManifestCommandError(ManifestErrors(sums.diagnostics)) }
  }
}
