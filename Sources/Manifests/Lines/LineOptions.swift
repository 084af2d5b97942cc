/// How a stream of lines is read.
public struct LineOptions: Sendable {
  /// How records are written.
  public var form: LineForm
  /// Whether records end in NUL instead of a line break (`-0`); for sources and NDJSON.
  public var isNULSeparated = false
  /// The first job's index.
  public var firstIndex = 1
  /// Bytes that were read from the descriptor already.
  public var prefix: [UInt8] = []

  /// Lines of a form.
  public init(_ form: LineForm) { self.form = form }
}
