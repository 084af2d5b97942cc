package import ImageBatch

extension JobSelection {
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
    guard listed.count < Self.mostJobs else { return nil }
    listed.append(job)
    if isSelected { listedAndSelected.append(job) }
    return nil
  }

  /// Takes the lists' jobs among those of documents if one of them makes a source of another job, or needs its output: records
  /// of streams are read while the batch runs, and wait for nothing. Long lists and standard input stay streams.
  /// - Parameter isWhole: Whether every list was read to its end.
  package mutating func takeLists(isWhole: Bool) {
    hasReadLists = isWhole && listed.count == recordsRead
    guard hasReadLists, !listed.isEmpty, rows.isEmpty || !rowJobs.isEmpty else { return }
    var moved = moved
    if let outputDirectory {
      let names = (whole + wholeRows + listed).namesOfFiles
      moved.add(listed, from: ".", to: outputDirectory, names: names)
    }
    let listed = listed.map(moved.followed)
    let indices = Set(listed.map(\.index))
    let all = (whole + wholeRows).map(moved.followed) + listed
    guard JobDependencies(all).connects({ indices.contains($0.index) }) else { return }
    (jobs, unselected) = ([], [])
    for job in all.sorted(by: { $0.index < $1.index }) { sort(job) }
    noteRowsTaken()
    documentJobs += listed.count
    (streams, self.listed, listedAndSelected) = ([], [], [])
    selectParts()
  }
}
