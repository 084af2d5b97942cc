/// The names of the columns of a table that a manifest can have in `from`.
package struct TableHeader: Sendable, Hashable {
  /// The path of the table, as diagnostics have it.
  package let table: String
  /// The names of the columns. The keys of the first row, if the table is NDJSON.
  package let columns: [String]

  /// Whether the table has the column that sources are read from.
  package var hasSources: Bool { columns.contains(RowTable.sourceColumn) }

  /// Reads the header.
  /// - Parameters:
  ///   - text: The table as `from` names it.
  ///   - options: The settings that the manifest is read with.
  /// - Returns: nil if the table can't be read, or has no row. The reader of the manifest reports that.
  package init?(of text: String, _ options: ManifestOptions) {
    do throws(RowFailure) {
      let table = try RowTable(text, in: JobContext(options).resolver.directory, options.hints)
      self.table = table.name
      if let columns = table.columns {
        self.columns = columns
      } else if case .success(let row)? = try RowReader(table).next() {
        columns = row.cells.map(\.name)
      } else {
        return nil
      }
    } catch {
      return nil
    }
  }

  /// A mistake of the header.
  package func mistake(_ message: String) -> ManifestDiagnostic {
    ManifestDiagnostic(file: table, line: 1, column: 1, message: message)
  }
}
