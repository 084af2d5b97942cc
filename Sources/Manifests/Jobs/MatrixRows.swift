/// Expands a `matrix`: every combination of its names' values, the last name's going round fastest.
enum MatrixRows {
  /// How many rows a matrix has; more than any limit where it is beyond numbers.
  static func count(_ matrix: ManifestNode?) -> Int {
    (matrix?.entries ?? []).reduce(1) { count, entry in
      let (product, overflows) = count.multipliedReportingOverflow(by: max(1, entry.value.list?.count ?? 1))
      return overflows ? .max / 2 : min(product, .max / 2)
    }
  }

  /// The rows; one empty row without a matrix; nil where it is wrong, which is then in the log.
  static func read(_ matrix: ManifestNode?, log: inout DiagnosticLog) -> [[String: String]]? {
    guard let matrix else { return [[:]] }
    var rows: [[String: String]] = [[:]]
    let entries = matrix.entries ?? []
    guard entries.count <= ExpansionBudget.matrixNames else {
      log.error(
        matrix.place, "the matrix has \(entries.count) names, and may have \(ExpansionBudget.matrixNames)")
      return nil
    }
    for entry in entries {
      let values = (entry.value.list ?? []).compactMap(\.scalar)
      let (count, overflows) = rows.count.multipliedReportingOverflow(by: values.count)
      guard !overflows, count <= ExpansionBudget.rows else {
        log.error(entry.place, "the matrix stands for more than \(ExpansionBudget.rows) outputs: split it")
        return nil
      }
      rows = rows.flatMap { row in values.map { row.merging([entry.key: $0]) { $1 } } }
    }
    return rows
  }
}
