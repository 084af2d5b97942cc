/// Percent-encoding (RFC 3986, section 2.1).
package enum PercentEncoding {
  private static let digits = Array("0123456789ABCDEF".utf8)
  private static let sign = UInt8(ascii: "%")

  /// The text with each byte for which `isEncoded` returns true replaced by an escape.
  package static func encoded(_ text: some StringProtocol, where isEncoded: (UInt8) -> Bool) -> String {
    guard text.utf8.contains(where: isEncoded) else { return String(text) }
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count * 2)
    for byte in text.utf8 {
      if isEncoded(byte) {
        result += [sign, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The text as one segment of a path: everything except unreserved characters (section 2.3) is encoded.
  package static func encodedSegment(_ text: some StringProtocol) -> String {
    encoded(text) { !isUnreserved($0) }
  }

  /// The text with every byte encoded that URLs don't allow. Existing escapes are kept.
  package static func normalized(_ text: some StringProtocol) -> String {
    encoded(text) { $0 <= 0x20 || $0 >= 0x7F || "\"<>\\^`{|}".utf8.contains($0) }
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~".utf8.contains(byte)
    }
  }

  /// Decodes the escapes to bytes. A percent sign that doesn't begin an escape is kept.
  package static func decodedBytes(_ text: some StringProtocol) -> [UInt8] {
    var isWhole = true
    return bytes(text, isWhole: &isWhole)
  }

  /// Decodes the escapes to text. Invalid UTF-8 is replaced.
  package static func decoded(_ text: some StringProtocol) -> String {
    String(decoding: decodedBytes(text), as: UTF8.self)
  }

  /// Decodes the escapes to text; nil if an escape is malformed or the result isn't UTF-8.
  package static func strictlyDecoded(_ text: some StringProtocol) -> String? {
    var isWhole = true
    let bytes = bytes(text, isWhole: &isWhole)
    return isWhole ? String(validating: bytes, as: UTF8.self) : nil
  }

  private static func bytes(_ text: some StringProtocol, isWhole: inout Bool) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count)
    var rest = Substring(text).utf8
    while let byte = rest.popFirst() {
      guard byte == sign else {
        result.append(byte)
        continue
      }
      var escape = rest
      if let high = escape.popFirst().flatMap(digit), let low = escape.popFirst().flatMap(digit) {
        result.append(high << 4 | low)
        rest = escape
      } else {
        result.append(byte)
        isWhole = false
      }
    }
    return result
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
