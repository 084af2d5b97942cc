import ImageCaches
import ImageDownloads

/// A row of the table in `from`.
struct Row: Sendable {
  struct Cell: Sendable {
    var name: String
    /// The value as text; nil for an NDJSON array or object, which no field can hold.
    var text: String?
    /// The value as JSON.
    var json: String
    /// The column in the line, from 1.
    var column: Int
  }

  /// The number of its first line; 0 for a file that matches a pattern.
  var line: Int
  /// The row's text, for diagnostics.
  var record: String?
  var cells: [Cell]
  /// The digest in a line of `sha256sum`.
  var pinnedDigest: ContentDigest?

  /// The cell of a column.
  subscript(name: String) -> Cell? { cells.first { $0.name == name } }
}
