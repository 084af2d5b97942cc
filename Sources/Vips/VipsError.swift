import CVips

/// The failure of a libvips operation, with libvips' error text.
public struct VipsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The operation's nickname (`jpegload`, `resize` …).
  public let operation: String
  /// libvips' error text, one fact per line.
  public let text: String
  /// Whether `text` certainly belongs to this failure. libvips has one error buffer per process, so if several threads
  /// were in libvips, the text may be another thread's.
  public let isCertain: Bool
  /// The `errno` of a file that couldn't be written; nil for other failures. The image isn't the cause.
  package var failedWrite: Int32?

  /// Creates an error.
  /// - Parameters:
  ///   - operation: The operation's nickname.
  ///   - text: libvips' error text, one fact per line.
  ///   - isCertain: Whether `text` certainly belongs to this failure. Default: true.
  public init(operation: String, text: String, isCertain: Bool = true) {
    self.operation = operation
    self.text = text
    self.isCertain = isCertain
  }

  /// The same failure of an operation with another name, which a reader knows.
  func named(_ operation: String) -> VipsError {
    var error = VipsError(operation: operation, text: text, isCertain: isCertain)
    error.failedWrite = failedWrite
    return error
  }

  /// The operation and libvips' error text on one line.
  public var description: String {
    let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
    var distinct: [Substring] = []
    for line in lines where !distinct.contains(line) { distinct.append(line) }
    return distinct.isEmpty ? "\(operation) failed" : "\(operation): " + distinct.joined(separator: "; ")
  }

  /// Returns the text in libvips' error buffer and clears the buffer.
  static func takeBuffer() -> String {
    guard let buffer = vips_error_buffer_copy() else { return "" }
    defer { g_free(buffer) }
    return String(cString: buffer)
  }
}
