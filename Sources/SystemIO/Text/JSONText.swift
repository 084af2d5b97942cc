package import FoundationEssentials

/// Encodes values and strings as JSON (RFC 8259).
package enum JSONText {
  /// Encodes a value with sorted members, so that equal values produce equal bytes.
  /// - Parameter pretty: Whether to put each member on its own line (default: all on one line).
  package static func encoded(_ value: some Encodable, pretty: Bool = false) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
    return try encoder.encode(value)
  }

  /// The version of all JSON documents. Adding a member doesn't change it; renaming or removing one is never
  /// allowed.
  package static let documentVersion = 1

  /// Encodes an object as a JSON document with an additional member `version`.
  package static func document(_ value: some Encodable, pretty: Bool = false) throws -> Data {
    try encoded(VersionedDocument(value: value), pretty: pretty)
  }

  private struct VersionedDocument<Value: Encodable>: Encodable {
    let value: Value

    private enum Keys: String, CodingKey { case version }

    func encode(to encoder: any Encoder) throws {
      try value.encode(to: encoder)
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(JSONText.documentVersion, forKey: .version)
    }
  }

  /// A JSON string with its quotes.
  package static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    append(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends a JSON string with its quotes. Escapes control characters and also DEL, which terminals don't
  /// show.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0A: bytes += "\\n".utf8
      case 0x0D: bytes += "\\r".utf8
      case 0x09: bytes += "\\t".utf8
      case 0..<0x20, 0x7F: bytes += [0x5C, 0x75, 0x30, 0x30, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static let digits = Array("0123456789abcdef".utf8)
}
