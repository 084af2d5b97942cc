/// How a stream of lines is read.
package struct LineOptions: Sendable {
  /// How records are written.
  package var form: LineForm
  /// Whether records end in NUL instead of a line break (`-0`); for sources and NDJSON.
  package var isNULSeparated = false
  /// The first job's index.
  package var firstIndex = 1
  /// Bytes that were read from the descriptor already.
  package var prefix: [UInt8] = []

  /// Lines of a form.
  package init(_ form: LineForm) { self.form = form }
}
