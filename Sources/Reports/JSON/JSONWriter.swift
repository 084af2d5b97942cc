import SystemIO

/// Writes JSON (RFC 8259) incrementally, without building a tree.
///
///     var json = JSONWriter()
///     json.object { json in
///       json.member("index", 1)
///       json.member("source", "a.png")
///     }
///     json.bytes  // {"index":1,"source":"a.png"}
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  /// Whether the current object or array already has a value.
  private var needsComma = false

  /// Returns the bytes written so far and resets the writer.
  mutating func take() -> [UInt8] {
    defer { self = JSONWriter() }
    return bytes
  }

  /// A whole document: an object that begins with the version of its form.
  mutating func document(_ members: (inout JSONWriter) -> Void) {
    object { json in
      json.member("version", JSONText.documentVersion)
      members(&json)
    }
  }

  mutating func object(_ members: (inout JSONWriter) -> Void) { nested("{", "}", members) }

  mutating func member(_ name: StaticString, object members: (inout JSONWriter) -> Void) {
    key(name)
    nested("{", "}", members)
  }

  mutating func member(_ name: StaticString, array elements: (inout JSONWriter) -> Void) {
    key(name)
    nested("[", "]", elements)
  }

  mutating func member(_ name: StaticString, _ text: String?) {
    key(name)
    if let text { quote(text) } else { append("null") }
    needsComma = true
  }

  mutating func member(_ name: StaticString, _ number: Int?) {
    key(name)
    if let number { bytes.append(contentsOf: String(number).utf8) } else { append("null") }
    needsComma = true
  }

  /// Writes a number in its shortest form; `null` for NaN and infinity, which JSON can't represent.
  mutating func member(_ name: StaticString, _ number: Double) {
    key(name)
    if number.isFinite { bytes.append(contentsOf: number.description.utf8) } else { append("null") }
    needsComma = true
  }

  mutating func member(_ name: StaticString, _ flag: Bool) {
    key(name)
    append(flag ? "true" : "false")
    needsComma = true
  }

  /// Writes a member whose value is JSON already.
  mutating func member(_ name: String, json: String) {
    comma()
    quote(name)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(contentsOf: json.utf8)
    needsComma = true
  }

  private mutating func nested(
    _ opening: UnicodeScalar, _ closing: UnicodeScalar, _ body: (inout JSONWriter) -> Void
  ) {
    comma()
    bytes.append(UInt8(ascii: opening))
    needsComma = false
    body(&self)
    bytes.append(UInt8(ascii: closing))
    needsComma = true
  }

  private mutating func key(_ name: StaticString) {
    comma()
    bytes.append(UInt8(ascii: "\""))
    append(name)
    append("\":")
    needsComma = false
  }

  private mutating func comma() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  private mutating func quote(_ text: String) { JSONText.append(text, to: &bytes) }
}
