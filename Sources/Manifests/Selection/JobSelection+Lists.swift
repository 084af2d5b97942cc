package import ImageBatch

extension JobSelection {
  /// The most jobs of lists that are held for checks before the run.
  private static let mostListed = 20_000

  /// Claims the paths of the documents' outputs, against which those of lists are checked.
  package func claimOutputs(in conflicts: inout RecordConflicts) {
    for job in jobs { _ = conflicts.claim(job) }
    for case .success(var job) in rows.joined() where prepare(&job) { _ = conflicts.claim(job) }
  }

  /// Takes in a job of a list that is read before the run, so that its outputs are checked with those of documents.
  /// - Returns: The conflict of its outputs with earlier ones; nil if there is none.
  package mutating func add(listed job: Job, _ conflicts: inout RecordConflicts) -> ManifestDiagnostic? {
    var job = job
    recordsRead += 1
    job.index = documentJobs + recordsRead
    let isSelected = prepare(&job)
    if let found = conflicts.claim(job) { return found }
    if isSelected, listed.count < Self.mostListed { listed.append(job) }
    return nil
  }
}
