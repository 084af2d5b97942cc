public import WebValues

/// The status line and header fields of a response.
public struct ResponseHead: Hashable, Sendable {
  /// The protocol version in the status line, such as `1.1` or `2`.
  public var version: String
  /// The status code (RFC 9110 §15).
  public var status: Int
  /// The reason phrase; empty in HTTP/2.
  public var reason: String
  /// The fields in order of arrival, including repeated ones.
  public var fields: [HeaderField]

  /// Creates a head.
  /// - Parameters:
  ///   - version: The protocol version, such as `1.1` or `2`. Default: `1.1`.
  ///   - status: The status code.
  ///   - reason: The reason phrase. Default: empty.
  ///   - fields: The fields in order of arrival. Default: none.
  public init(version: String = "1.1", status: Int, reason: String = "", fields: [HeaderField] = []) {
    self.version = version
    self.status = status
    self.reason = reason
    self.fields = fields
  }
}

/// Assembles a head from the lines that libcurl passes one at a time.
struct ResponseHeadParser {
  /// The maximum size of a head, in bytes. Servers send a few hundred.
  static let limit = 256 * 1024

  private(set) var head: ResponseHead?
  /// Whether the blank line that ends the head has arrived.
  private(set) var isComplete = false
  private var byteCount = 0

  /// Parses one line, including its line ending.
  /// - Returns: Whether the head is still within ``limit``.
  mutating func consume(_ line: UnsafeRawBufferPointer) -> Bool {
    var bytes = line[...]
    while let last = bytes.last, last == UInt8(ascii: "\r") || last == UInt8(ascii: "\n") {
      bytes.removeLast()
    }
    if bytes.starts(with: "HTTP/".utf8), isComplete || head == nil {
      // Another head follows an interim (1xx) response, and a challenge that libcurl answers itself.
      head = Self.statusLine(Self.text(bytes))
      isComplete = false
      byteCount = line.count
      return true
    }
    byteCount += line.count
    guard byteCount <= Self.limit else { return false }
    if bytes.isEmpty {
      isComplete = true
    } else if !isComplete {
      addField(bytes)
    }  // Otherwise it is a trailer field, which is ignored.
    return true
  }

  private mutating func addField(_ bytes: Slice<UnsafeRawBufferPointer>) {
    if let first = bytes.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
      // An obsolete line fold (RFC 9112 §5.2) continues the previous value.
      guard let head, var last = head.fields.last else { return }
      let rest = Self.text(Self.trimmed(bytes))
      last.value = last.value.isEmpty || rest.isEmpty ? last.value + rest : "\(last.value) \(rest)"
      self.head?.fields[head.fields.count - 1] = last
      return
    }
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return }
    let name = Self.text(Self.trimmed(bytes[..<colon]))
    head?.fields.append(HeaderField(name, Self.text(Self.trimmed(bytes[(colon + 1)...]))))
  }

  private static func statusLine(_ line: String) -> ResponseHead {
    let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)
    let version = parts.first.map { String($0.dropFirst(5)) } ?? ""
    let status = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    return ResponseHead(version: version, status: status, reason: parts.count > 2 ? String(parts[2]) : "")
  }

  /// Decodes valid UTF-8, else ISO 8859-1, the historical charset of fields (RFC 9110 §5.5), which loses no byte.
  private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    return text
  }

  private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var bytes = bytes.drop(while: isBlank)
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return bytes
  }
}
