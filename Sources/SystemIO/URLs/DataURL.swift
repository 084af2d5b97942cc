/// The parts of a `data:` URL (RFC 2397).
package struct DataURL: Hashable, Sendable {
  /// The media type with its parameters (default: `text/plain;charset=US-ASCII`).
  package var mediaType: String
  /// The decoded bytes.
  package var bytes: [UInt8]

  /// Parses a URL; nil if the text isn't a `data:` URL or its base64 is invalid.
  package init?(_ text: String) {
    guard text.prefix(5).lowercased() == "data:", let comma = text.firstIndex(of: ",") else { return nil }
    var type = text[..<comma].dropFirst(5)
    let payload = PercentEncoding.decodedBytes(text[text.index(after: comma)...])
    if type.lowercased().hasSuffix(";base64") {
      type = type.dropLast(7)
      guard let decoded = Self.base64(payload) else { return nil }
      bytes = decoded
    } else {
      bytes = payload
    }
    mediaType = type.isEmpty ? "text/plain;charset=US-ASCII" : String(type)
  }

  /// Decodes the standard and the URL-safe alphabet, ignoring white space; padding is optional. nil for any
  /// other character.
  private static func base64(_ text: [UInt8]) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.count / 4 * 3)
    var bits: UInt32 = 0
    var count = 0
    var isPadded = false
    for byte in text {
      let value: UInt32
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = UInt32(byte) - 65
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = UInt32(byte) - 71
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt32(byte) + 4
      case UInt8(ascii: "+"), UInt8(ascii: "-"): value = 62
      case UInt8(ascii: "/"), UInt8(ascii: "_"): value = 63
      case UInt8(ascii: "="):
        isPadded = true
        continue
      case 9, 10, 13, 32: continue
      default: return nil
      }
      guard !isPadded else { return nil }
      bits = bits << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return count == 6 ? nil : result
  }
}
