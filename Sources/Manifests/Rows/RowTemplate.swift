import ImageBatch
import ImageDownloads

/// A job with `from`, read as far as no row is needed for it.
struct RowTemplate: Sendable {
  let context: JobContext
  /// What `{dir}` is relative to: a pattern's fixed part, or what it is for other jobs.
  let root: SourceRoot
  let table: RowTable
  /// The job's mapping.
  let node: ManifestNode
  /// The manifest's name.
  let manifest: String
  let outputs: [RowOutput]
  /// `where`: the values that a row's columns may have.
  let conditions: [String: Set<String>]
  /// The columns that the text at a place of the manifest uses.
  let columnsUsed: [TextPlace: [String]]
  /// Where `from` stands.
  let fromPlace: TextPlace

  /// Whether `where` lets the row in.
  func wants(_ row: Row) -> Bool {
    conditions.allSatisfy { name, values in row[name]?.text.map(values.contains) ?? false }
  }

  /// The row's job, or all that is wrong with it in one message, at the row's line.
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

  /// A pattern's file has no line: its place is that of the pattern.
  private func location(_ row: Row) -> ManifestLocation {
    row.line == 0
      ? ManifestLocation(file: manifest, line: fromPlace.line, column: fromPlace.column)
      : ManifestLocation(file: table.name, line: row.line, column: 1)
  }

  // MARK: Values

  /// The manifest's defaults, then the row's columns, then the job's own variables, which may use the columns.
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
      log.error(fromPlace, "this row has no 'source', and the job has none either")
      return nil
    }
    do {
      // A file that was found is a file, also where there is a base.
      guard case .files = table.kind else { return [try context.resolver.resolve(text)] }
      return [.file(try context.resolver.directory.inside(text))]
    } catch {
      log.error(fromPlace, error.message)
      return nil
    }
  }

  // MARK: Diagnostics

  /// What is wrong with the row, by a complaint about the manifest's text that uses it.
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

  /// A complaint about the table itself; a pattern's place is in the manifest.
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
