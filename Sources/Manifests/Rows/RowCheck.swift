import ImageBatch

/// Checks every row of a manifest's tables before anything starts.
struct RowCheck {
  var jobs: [Job]
  var rows: [RowJobs]
  let outputDirectory: String

  /// Reads and counts the rows of each table; errors are added to the log.
  mutating func run(log: inout DiagnosticLog) {
    var conflicts = RecordConflicts()
    for job in jobs { _ = conflicts.claim(job) }
    leaveOutOwnOutputs()
    for index in rows.indices { check(&rows[index], &conflicts, log: &log) }
    guard log.isEmpty else { return }
    // If there are more paths than fit in memory, they are checked in parts.
    for part in conflicts.otherParts {
      var conflicts = RecordConflicts(part)
      var sums = DiagnosticSums()
      for job in jobs { _ = conflicts.claim(job) }
      for case .success(let job) in rows.joined() {
        if let found = conflicts.claim(job) { sums.note(found) }
      }
      for diagnostic in sums.diagnostics { log.add(diagnostic) }
    }
  }

  /// Leaves out the files that match a pattern and are outputs of others that match it, whichever member of the manifest makes
  /// these.
  private mutating func leaveOutOwnOutputs() {
    let patterns = rows.indices.filter { rows[$0].isPattern }
    guard !patterns.isEmpty else { return }
    var matches: [Int: [(file: String, job: Job)]] = [:]
    var count = 0
    for index in patterns {
      var files = rows[index].makeIterator()
      while let result = files.next() {
        guard case .success(let job) = result, let file = files.file else { continue }
        count += 1
        // The outputs of very many files aren't remembered.
        guard count <= OwnOutputs.mostFiles else { return }
        matches[index, default: []].append((file, job))
      }
    }
    for index in patterns {
      let names = Set((matches[index] ?? []).map { Array($0.file.utf8) })
      var own = OwnOutputs()
      for other in patterns {
        for (file, job) in matches[other] ?? [] where other == index || names.contains(Array(file.utf8)) {
          own.add(file, job, in: outputDirectory)
        }
      }
      own.decide()
      rows[index].leaveOut(own)
    }
  }

  private func check(_ rows: inout RowJobs, _ conflicts: inout RecordConflicts, log: inout DiagnosticLog) {
    var sums = DiagnosticSums()
    var count = 0
    var isAlike = false
    for result in rows {
      count += 1
      switch result {
      case .failure(let diagnostic): sums.note(diagnostic)
      case .success(let job):
        // Two outputs with the same path in one row have it in every row: the mistake is in the manifest.
        if !isAlike, let place = alike(job, rows.template) {
          isAlike = true
          log.error(
            place.place,
            "two outputs of a row have the path '\(place.path)': use a field that differs, such as {width}"
          )
        }
        if !isAlike, let found = conflicts.claim(job) { sums.note(found) }
      }
    }
    if count == 0, case .files = rows.table.kind {
      log.error(rows.template.fromPlace, "nothing matches '\(rows.table.name)'")
    }
    rows.count = count
    for diagnostic in sums.diagnostics { log.add(diagnostic) }
  }

  private func alike(_ job: Job, _ template: RowTemplate) -> (place: TextPlace, path: String)? {
    guard job.outputs.count > 1 else { return nil }
    var contents: [String: OutputConflicts.Content] = [:]
    for (output, definition) in zip(job.outputs, template.outputs) {
      guard let path = OutputConflicts.path(of: output, job) else { continue }
      let content = OutputConflicts.Content(output, of: job)
      if let other = contents[path], other != content { return (definition.place, path) }
      contents[path] = content
    }
    return nil
  }
}
