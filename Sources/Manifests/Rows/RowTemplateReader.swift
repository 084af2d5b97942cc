import ImageBatch
import ImageFilters

/// Reads a job with `from`. Errors that don't depend on a row are reported here, once, at their place in the manifest.
struct RowTemplateReader {
  let context: JobContext
  let manifest: String
  let node: ManifestNode

  /// The table; nil, with errors in the log, if it can't be read.
  func table(log: inout DiagnosticLog) -> RowTable? {
    guard let from = node["from"], let text = from.text else { return nil }
    do throws(RowFailure) {
      return try RowTable(text, in: context.resolver.directory, context.hints)
    } catch {
      switch error {
      case .sentence(let message): log.error(from.place, message)
      case .diagnostics(let diagnostics): for diagnostic in diagnostics { log.add(diagnostic) }
      }
      return nil
    }
  }

  /// The rows' jobs; nil, with errors in the log, if something is wrong.
  func rows(of table: RowTable, log: inout DiagnosticLog) -> RowJobs? {
    guard let from = node["from"] else { return nil }
    let before = log.diagnostics.count
    var names = RowNames(columns: table.columns, node: node, defaults: context.defaults)
    checkSource(table, from, log: &log)
    let conditions = conditions(table, log: &log)
    checkTexts(&names, log: &log)
    checkValues(log: &log)
    let outputs = outputs(&names, log: &log)
    guard let outputs, log.diagnostics.count == before else { return nil }
    var root = context.root
    if case .files(let pattern) = table.kind {
      let path = pattern.root.hasPrefix("/") ? pattern.root : table.directory + "/" + pattern.root
      root = SourceRoot(directory: table.directory.isEmpty ? pattern.root : path)
    }
    return RowJobs(
      table: table,
      template: RowTemplate(
        context: context, root: root, table: table, node: node, manifest: manifest, outputs: outputs,
        conditions: conditions, columnsUsed: names.used, fromPlace: from.place))
  }

  private func checkSource(_ table: RowTable, _ from: ManifestNode, log: inout DiagnosticLog) {
    guard node["source"] == nil, let columns = table.columns, !columns.contains(RowTable.sourceColumn) else {
      return
    }
    let hint = NearestName.hint(RowTable.sourceColumn, in: columns)
    let remedy = table.separatorHint ?? ": add one, or set source: \"{\(columns.first ?? "file")}\""
    log.error(from.place, "'\(table.name)' has no column 'source'\(hint)\(remedy)")
  }

  private func conditions(_ table: RowTable, log: inout DiagnosticLog) -> [String: Set<String>] {
    var result: [String: Set<String>] = [:]
    for entry in node["where"]?.entries ?? [] {
      if let columns = table.columns, !columns.contains(entry.key) {
        log.error(
          entry.place,
          "'\(table.name)' has no column '\(entry.key)'\(NearestName.hint(entry.key, in: columns))"
            + (table.separatorHint ?? ""))
      }
      result[entry.key] = Set((entry.value.list ?? [entry.value]).compactMap(\.scalar))
    }
    return result
  }

  /// Checks the fields of strings outside the outputs.
  private func checkTexts(_ names: inout RowNames, log: inout DiagnosticLog) {
    for entry in node["variables"]?.entries ?? [] { names.check(entry.value, isVariable: true, log: &log) }
    for key in ["source", "sha256", "priority"] { if let value = node[key] { names.check(value, log: &log) } }
    if let value = node["placeholder"] ?? context.defaults?["placeholder"] { names.check(value, log: &log) }
    for field in context.appendedChain?.fields ?? [] where !names.isDefined(field, in: [:]) {
      log.error(node.place, context.hints.chain + FieldSubstitution.unknown(field, among: names.all))
    }
  }

  /// Checks the values outside the outputs that are the same for every row.
  private func checkValues(log: inout DiagnosticLog) {
    let reader = JobReader(context: context, file: manifest)
    func isFixed(_ key: String, _ defaults: ManifestNode? = nil) -> Bool {
      (node[key] ?? defaults?[key])?.scalar?.contains("{") != true
    }
    if isFixed("priority", context.defaults) { _ = reader.priority(of: node, log: &log) }
    if isFixed("sha256") { _ = reader.digest(of: node, log: &log) }
    if isFixed("placeholder", context.defaults) { _ = reader.placeholder(of: node, log: &log) }
  }

  private func outputs(_ names: inout RowNames, log: inout DiagnosticLog) -> [RowOutput]? {
    let reader = JobReader(context: context, file: manifest)
    guard let definitions = reader.definitions(of: node, log: &log) else { return nil }
    var result: [RowOutput] = []
    for definition in definitions {
      for row in definition.matrix {
        let before = log.diagnostics.count
        result.append(output(definition, row, &names, log: &log))
        // The other rows of its matrix have the same mistakes.
        if log.diagnostics.count > before { break }
      }
    }
    return result
  }

  private func output(
    _ definition: JobReader.Definition, _ matrix: [String: String], _ names: inout RowNames,
    log: inout DiagnosticLog
  ) -> RowOutput {
    var reader = OutputReader(
      context: context, layers: definition.layers,
      substitution: FieldSubstitution(matrix: matrix, variables: names.fixed))
    reader.rowNames = names.all
    reader.hasOtherNames = names.columns == nil
    for node in reader.substitutedNodes { names.check(node, matrix: matrix, log: &log) }
    let fixed = reader.fixedParts(at: definition.place, log: &log) { names.varies($0, matrix) }
    return RowOutput(layers: definition.layers, matrix: matrix, place: definition.place, fixed: fixed)
  }
}

/// The names that a job with `from` may use as fields, and which of them vary from row to row.
struct RowNames {
  /// The table's columns; nil if each row has its own.
  let columns: [String]?
  /// The job's variables that are the same for all rows.
  let fixed: [String: String]
  /// The variables of the job and of the manifest's defaults.
  private let variables: [String]
  /// The columns used by the string at each place.
  private(set) var used: [TextPlace: [String]] = [:]

  init(columns: [String]?, node: ManifestNode, defaults: ManifestNode?) {
    self.columns = columns
    var fixed: [String: String] = [:]
    for entry in node["variables"]?.entries ?? [] {
      guard let text = entry.value.scalar, !text.contains("{"), !text.contains("}") else { continue }
      fixed[entry.key] = text
    }
    self.fixed = fixed
    variables = [node["variables"], defaults?["variables"]].flatMap { $0?.entries ?? [] }.map(\.key)
  }

  /// All names that are known before a row is read.
  var all: [String] {
    (columns ?? []) + variables.filter { columns?.contains($0) != true }
  }

  func isDefined(_ name: String, in matrix: [String: String]) -> Bool {
    matrix[name] != nil || all.contains(name) || SourceFields.names.contains(name)
      || columns == nil && OutputTemplate.BuiltIn(rawValue: name) == nil
  }

  /// Whether any string in the node varies from row to row.
  func varies(_ node: ManifestNode, _ matrix: [String: String]) -> Bool {
    switch node.value {
    case .null, .bool, .number: return false
    case .text(let text):
      guard text.contains("{") else { return false }
      do throws(FieldText.Failure) {
        return try FieldText(parsing: text).fields.contains {
          matrix[$0.name] == nil && fixed[$0.name] == nil
        }
      } catch {
        // All rows have the same mistake, which is reported where the string is checked.
        return true
      }
    case .list(let members): return members.contains { varies($0, matrix) }
    case .mapping(let entries): return entries.contains { varies($0.value, matrix) }
    }
  }

  /// Reports unclosed braces and unknown fields.
  mutating func check(
    _ node: ManifestNode, isVariable: Bool = false, matrix: [String: String] = [:], log: inout DiagnosticLog
  ) {
    for member in node.list ?? [] { check(member, isVariable: isVariable, matrix: matrix, log: &log) }
    for entry in node.entries ?? [] {
      check(entry.value, isVariable: isVariable, matrix: matrix, log: &log)
    }
    guard let text = node.scalar, text.contains("{") || text.contains("}") else { return }
    do throws(FieldText.Failure) {
      let fields = try FieldText(parsing: text).fields
      for field in fields {
        let isKnown =
          isVariable && columns != nil
          ? columns?.contains(field.name) == true || all.contains(field.name)
          : isDefined(field.name, in: matrix)
        guard !isKnown else { continue }
        log.error(
          node.place(ofOffset: field.offset),
          FieldSubstitution.unknown(field.name, among: all + matrix.keys.sorted()))
      }
      used[node.place] = fields.map(\.name).filter { columns?.contains($0) != false }
    } catch {
      log.error(node.place(ofOffset: error.offset), error.message)
    }
  }
}
