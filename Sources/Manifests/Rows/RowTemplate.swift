import ImageBatch
import ImageDownloads

/// A job with `from`, read as far as possible without a row.
struct RowTemplate: Sendable {
  let context: JobContext
  /// The root that `{dir}` is relative to: a pattern's fixed part, or the context's.
  let root: SourceRoot
  let table: RowTable
  let node: ManifestNode
  let manifest: String
  let outputs: [RowOutput]
  /// `where`: the values that a row's columns may have.
  let conditions: [String: Set<String>]
  /// The columns used by the string at each place of the manifest.
  let columnsUsed: [TextPlace: [String]]
  let fromPlace: TextPlace

  /// Whether the row matches `where`.
  func wants(_ row: Row) -> Bool {
    conditions.allSatisfy { name, values in row[name]?.text.map(values.contains) ?? false }
  }

  /// The row's job, or one diagnostic at the row's line with all errors.
  func job(_ row: Row, index: Int) -> Result<Job, ManifestDiagnostic> {
    var log = DiagnosticLog(ManifestText(name: manifest, text: ""))
    if let job = job(row, index: index, log: &log), log.isEmpty { return .success(job) }
    let found = log.diagnostics.map { diagnostic(row, $0) }
    guard var first = found.first else {
      return .failure(diagnostic(row, place: node.place, "this row can't be read"))
    }
    for other in found.dropFirst() { first.message += "; \(other.message)" }
    return .failure(first)
  }

  private func job(_ row: Row, index: Int, log: inout DiagnosticLog) -> Job? {
    var reader = JobReader(context: context, file: manifest)
    let values = variables(row, log: &log)
    reader.values = values
    guard let sources = sources(row, reader, log: &log) else { return nil }
    var job = Job(index: index, sources: sources, outputs: [])
    job.sourceDirectory = root.directory(of: sources[0])
    var substitution = values
    substitution.builtIn = SourceFields.values(job)
    reader.values = substitution
    job.pinnedDigest = reader.digest(of: node, log: &log) ?? row.pinnedDigest
    job.placeholder = reader.placeholder(of: node, log: &log)
    job.priority = reader.priority(of: node, log: &log) ?? 0
    job.isProgressive = reader.isProgressive(node)
    job.outputs = outputs.compactMap {
      $0.output(context, substitution, placeholder: job.placeholder, log: &log)
    }
    guard job.outputs.count == outputs.count else { return nil }
    job.location = location(row)
    job.manifest = manifest
    job.fields = row.cells.map { .init(name: $0.name, json: $0.json) }
    return job
  }

  /// The location of a row. The files of a pattern have no lines, so they get the pattern's location.
  private func location(_ row: Row) -> ManifestLocation {
    row.line == 0
      ? ManifestLocation(file: manifest, line: fromPlace.line, column: fromPlace.column)
      : ManifestLocation(file: table.name, line: row.line, column: 1)
  }

  // MARK: Values

  /// The default variables, overridden by the row's columns, overridden by the job's variables, which may use columns.
  private func variables(_ row: Row, log: inout DiagnosticLog) -> FieldSubstitution {
    var values = FieldSubstitution(matrix: [:], variables: [:])
    for entry in context.defaults?["variables"]?.entries ?? [] {
      values.variables[entry.key] = entry.value.scalar
    }
    for cell in row.cells { if let text = cell.text { values.variables[cell.name] = text } }
    let columns = values
    for entry in node["variables"]?.entries ?? [] {
      guard let text = entry.value.scalar else { continue }
      do {
        values.variables[entry.key] = try columns.applied(to: text)
      } catch {
        log.error(entry.value.place, error.message)
      }
    }
    return values
  }

  private func sources(_ row: Row, _ reader: JobReader, log: inout DiagnosticLog) -> [ImageSource]? {
    if node["source"] != nil { return reader.sources(of: node, log: &log) }
    guard let text = row[RowTable.sourceColumn]?.text else {
      log.error(fromPlace, "neither this row nor the job has a 'source'")
      return nil
    }
    do {
      // A pattern's files are local even if there is a base URL.
      guard case .files = table.kind else { return [try context.resolver.resolve(text)] }
      return [.file(try context.resolver.directory.inside(text))]
    } catch {
      log.error(fromPlace, error.message)
      return nil
    }
  }

  // MARK: Diagnostics

  /// The diagnostic at the row for an error in a string of the manifest that uses it.
  private func diagnostic(_ row: Row, _ complaint: ManifestDiagnostic) -> ManifestDiagnostic {
    diagnostic(
      row, place: TextPlace(line: complaint.line, column: complaint.column), complaint.message)
  }

  private func diagnostic(_ row: Row, place: TextPlace, _ message: String) -> ManifestDiagnostic {
    guard row.line > 0 else {
      let file = row[RowTable.sourceColumn]?.text ?? table.name
      return ManifestDiagnostic(
        file: manifest, line: place.line, column: place.column, message: "\(file): \(message)")
    }
    let column = columnsUsed[place]?.lazy.compactMap { row[$0]?.column }.first
    let sourceColumn = place == fromPlace ? row[RowTable.sourceColumn]?.column : nil
    return ManifestDiagnostic(
      file: table.name, line: row.line, column: column ?? sourceColumn ?? 1,
      message: "\(message) (\(manifest):\(place.line))",
      sourceLine: row.record?.split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init))
  }

  /// A diagnostic about the table itself; for a pattern, it is placed in the manifest.
  func placed(_ diagnostic: ManifestDiagnostic) -> ManifestDiagnostic {
    guard diagnostic.line == 0 else { return diagnostic }
    return ManifestDiagnostic(
      file: manifest, line: fromPlace.line, column: fromPlace.column, message: diagnostic.message)
  }

  func diagnostics(_ failure: RowFailure) -> [ManifestDiagnostic] {
    switch failure {
    case .diagnostics(let diagnostics): diagnostics.map(placed)
    case .sentence(let message):
      [
        ManifestDiagnostic(
          file: manifest, line: fromPlace.line, column: fromPlace.column, message: message)
      ]
    }
  }
}
