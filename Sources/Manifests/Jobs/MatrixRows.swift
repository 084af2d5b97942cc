/// Expands a `matrix`: every combination of its names' values, the last name's going round fastest.
enum MatrixRows {
  /// One output definition stands for no more outputs than this.
  static let maximumRows = 10_000

  /// The rows; one empty row without a matrix; nil where it is wrong, which is then in the log.
  static func read(_ matrix: ManifestNode?, log: inout DiagnosticLog) -> [[String: String]]? {
    guard let matrix else { return [[:]] }
    var rows: [[String: String]] = [[:]]
    for entry in matrix.entries ?? [] {
      let values = (entry.value.list ?? []).compactMap(\.scalar)
      guard rows.count * values.count <= maximumRows else {
        log.error(entry.place, "the matrix stands for more than \(maximumRows) outputs: split it")
        return nil
      }
      rows = rows.flatMap { row in values.map { row.merging([entry.key: $0]) { $1 } } }
    }
    return rows
  }
}
