/// Expands a `matrix` to every combination of its values; the last name varies fastest.
enum MatrixRows {
  /// The number of rows of a matrix; beyond any limit if it overflows.
  static func count(_ matrix: ManifestNode?) -> Int {
    (matrix?.entries ?? []).reduce(1) { count, entry in
      let (product, overflows) = count.multipliedReportingOverflow(by: max(1, entry.value.list?.count ?? 1))
      return overflows ? .max / 2 : min(product, .max / 2)
    }
  }

  /// Whether a matrix isn't a mapping, or a name in it has no values. The table of keys reports that.
  static func isWrong(_ matrix: ManifestNode?) -> Bool {
    guard let matrix else { return false }
    guard let entries = matrix.entries else { return true }
    return entries.contains { ($0.value.list ?? []).allSatisfy { $0.scalar == nil } }
  }

  /// The rows, or one empty row without a matrix; nil, with an error in the log, if it is too large.
  static func read(_ matrix: ManifestNode?, log: inout DiagnosticLog) -> [[String: String]]? {
    guard let matrix else { return [[:]] }
    var rows: [[String: String]] = [[:]]
    let entries = matrix.entries ?? []
    guard entries.count <= ExpansionBudget.matrixNames else {
      log.error(
        matrix.place, "the matrix has \(entries.count) names; the limit is \(ExpansionBudget.matrixNames)")
      return nil
    }
    for entry in entries {
      let values = (entry.value.list ?? []).compactMap(\.scalar)
      let (count, overflows) = rows.count.multipliedReportingOverflow(by: values.count)
      guard !overflows, count <= ExpansionBudget.rows else {
        log.error(entry.place, "the matrix has more than \(ExpansionBudget.rows) combinations: split it")
        return nil
      }
      rows = rows.flatMap { row in values.map { row.merging([entry.key: $0]) { $1 } } }
    }
    return rows
  }
}
