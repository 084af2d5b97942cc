import ImageBatch
import SystemIO

/// Patterns match the files that other jobs of the manifest will make, so that the first run on a machine makes what a second one
/// would. Only outputs count whose paths are known before anything starts, and whose templates have no `{index}`.
extension RowCheck {
  /// Adds the expected files to the patterns that match them, through any number of patterns.
  /// - Returns: Whether ``leaveOutOwnOutputs(in:)`` was called for the manifest's own directory, and nothing has changed since.
  mutating func expectOutputs(log: inout DiagnosticLog) -> Bool {
    let patterns = patterns
    guard !patterns.isEmpty, jobs.count + drafts.count + rows.count > 1 else { return false }
    // A file that passes through the patterns more often than that does so without end.
    for _ in 0..<2 * (patterns.count + 1) {
      guard leaveOutOwnOutputs(in: ownDirectory), let places = outputPlaces() else {
        for index in patterns { rows[index].expectNothing() }
        return false
      }
      var hasNew = false
      for index in patterns {
        let files = files(matching: rows[index].table, among: places)
        if rows[index].expect(files) { hasNew = true }
      }
      guard hasNew else {
        for index in patterns { rows[index].dropExpectedOutputs() }
        // Rows of larger manifests wait for nothing.
        guard jobs.count + rows.reduce(0, { $0 + $1.lazy.count { _ in true } }) > JobSelection.mostJobs else {
          return true
        }
        for index in patterns { rows[index].expectNothing() }
        return false
      }
    }
    for index in patterns where !rows[index].table.expected.isEmpty {
      log.error(
        rows[index].template.fromPlace,
        "'\(rows[index].table.name)' matches outputs that are made of its own outputs, so that each run would make more of them: "
          + "write the outputs to another directory, or use a narrower pattern")
      return false
    }
    return false
  }

  /// The places of the outputs of all jobs; nil if there are too many.
  func outputPlaces() -> [String]? {
    var places = RealPlaces()
    var result: [String] = []
    func add(_ job: Job) {
      for output in job.outputLocations(in: ownDirectory) {
        let template = output.output.template
        guard !template.isObject, !template.fields.contains(where: { $0.name == "index" }) else { continue }
        result.append(places.place(of: Paths.absolute(output.location)))
      }
    }
    for job in jobs + drafts { add(job) }
    for (count, row) in rows.joined().enumerated() {
      guard count < OwnOutputs.mostFiles else { return nil }
      if case .success(let job) = row { add(job) }
    }
    return result
  }

  /// The missing files among some places that a pattern matches, as it would name them.
  func files(matching table: RowTable, among places: [String]) -> [String] {
    guard case .files(let pattern) = table.kind else { return [] }
    var directories = RealPlaces()
    let root = directories.place(ofDirectory: Paths.absolute(table.path(of: pattern.root)))
    return places.compactMap { place in
      guard Paths.isInside(place, root) else { return nil }
      let components = Paths.components(Substring(place.utf8.dropFirst(root.utf8.count)))
      guard pattern.matches(components), !File.exists(place) else { return nil }
      let rest = components.joined(separator: "/")
      return pattern.root.isEmpty ? rest : Paths.joined(pattern.root, rest)
    }
  }
}
