import ImageBatch

/// Checks every row of a manifest's tables before anything starts.
struct RowCheck {
  var jobs: [Job]
  /// The jobs with mistakes, as far as they can be read.
  var drafts: [Job] = []
  var rows: [RowJobs]
  /// The tables of members with mistakes, whose rows can't be read, and their places.
  var unread: [(table: RowTable, place: TextPlace)] = []
  let outputDirectory: String
  /// The directory of outputs according to the manifest, which its patterns refer to.
  let ownDirectory: String

  /// Reads and counts the rows of each table; errors are added to the log.
  mutating func run(log: inout DiagnosticLog) {
    var conflicts = RecordConflicts()
    for job in jobs { _ = conflicts.claim(job) }
    let isSettled = expectOutputs(log: &log)
    if !isSettled || ownDirectory != outputDirectory { leaveOutOwnOutputs(in: outputDirectory) }
    checkUnread(log: &log)
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
  /// - Parameter directory: The directory of outputs.
  /// - Returns: Whether all files could be compared.
  @discardableResult
  mutating func leaveOutOwnOutputs(in directory: String) -> Bool {
    let patterns = patterns
    guard !patterns.isEmpty else { return true }
    var matches: [Int: [(file: String, job: Job)]] = [:]
    var count = 0
    for index in patterns {
      var files = rows[index].makeIterator()
      while let result = files.next() {
        guard case .success(let job) = result, let file = files.file else { continue }
        count += 1
        // The outputs of very many files aren't remembered.
        guard count <= OwnOutputs.mostFiles else { return false }
        matches[index, default: []].append((file, job))
      }
    }
    for index in patterns {
      let names = Set((matches[index] ?? []).map { Array($0.file.utf8) })
      var own = OwnOutputs()
      for other in patterns {
        for (file, job) in matches[other] ?? [] where other == index || names.contains(Array(file.utf8)) {
          own.add(file, job, in: directory)
        }
      }
      own.decide()
      rows[index].leaveOut(own)
    }
    return true
  }

  /// The positions of the members whose rows are the files that a pattern matches.
  var patterns: [Int] { rows.indices.filter { rows[$0].isPattern } }

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
      log.error(rows.template.fromPlace, Self.noMatch(rows.table))
    }
    rows.count = count
    for diagnostic in sums.diagnostics { log.add(diagnostic) }
  }

  private static func noMatch(_ table: RowTable) -> String { "nothing matches '\(table.name)'" }

  /// Reports the patterns of members with mistakes that match nothing.
  private func checkUnread(log: inout DiagnosticLog) {
    guard !unread.isEmpty else { return }
    let places = outputPlaces() ?? []
    for (table, place) in unread {
      guard case .files(let pattern) = table.kind else { continue }
      var walk = GlobWalk(pattern, in: table.directory)
      guard walk.next() == nil, files(matching: table, among: places).isEmpty else { continue }
      log.error(place, Self.noMatch(table))
    }
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
