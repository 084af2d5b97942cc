import CVips

/// A libvips operation that failed.
public struct VipsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The operation's nickname (`jpegload`, `resize` …).
  public let operation: String
  /// What libvips wrote about it, one line for each fact.
  public let text: String
  /// Whether `text` surely belongs to this failure. libvips keeps one error buffer per process; where
  /// several threads were in libvips, another one's words can be in it.
  public let isCertain: Bool

  /// A failure of an operation.
  public init(operation: String, text: String, isCertain: Bool = true) {
    self.operation = operation
    self.text = text
    self.isCertain = isCertain
  }

  /// The operation and libvips' words on one line.
  public var description: String {
    let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
    var distinct: [Substring] = []
    for line in lines where !distinct.contains(line) { distinct.append(line) }
    return distinct.isEmpty ? "\(operation) failed" : "\(operation): " + distinct.joined(separator: "; ")
  }

  /// libvips' error buffer, which is empty afterwards.
  static func takeBuffer() -> String {
    guard let buffer = vips_error_buffer_copy() else { return "" }
    defer { g_free(buffer) }
    return String(cString: buffer)
  }
}
