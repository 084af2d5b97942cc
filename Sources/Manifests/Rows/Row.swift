import ImageCaches
import ImageDownloads

/// One row of what `from` names.
struct Row: Sendable {
  struct Cell: Sendable {
    var name: String
    /// nil for a list or a mapping of NDJSON, which no field can hold.
    var text: String?
    /// The value as JSON text.
    var json: String
    /// From 1.
    var column: Int
  }

  /// The number of its first line; 0 for a file that a pattern has found.
  var line: Int
  /// The row itself, for who has to mend it.
  var record: String?
  var cells: [Cell]
  /// The digest that a line of `sha256sum` gives.
  var pinnedDigest: ContentDigest?

  /// The cell of a column.
  subscript(name: String) -> Cell? { cells.first { $0.name == name } }
}
