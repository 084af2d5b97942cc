/// Options for reading a stream of lines.
package struct LineOptions: Sendable {
  /// The form of the records.
  package var form: LineForm
  /// Whether records end in NUL instead of a line break (`-0`); for sources and NDJSON only.
  package var isNULSeparated = false
  /// The index of the first job.
  package var firstIndex = 1
  /// Bytes that were already read from the descriptor.
  package var prefix: [UInt8] = []

  /// Makes default options for a form.
  package init(_ form: LineForm) { self.form = form }
}
