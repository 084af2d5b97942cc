public import Crypto

/// The SHA-256 of some bytes: what identifies a source's content, a stored object and an output.
///
/// Its text form is 64 lower-case hexadecimal digits.
public struct ContentDigest: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The 64 lower-case hexadecimal digits.
  public let hex: String

  /// The digest that a finished hash function holds.
  public init(_ digest: SHA256.Digest) {
    hex = HexadecimalText.encoded(digest)
  }

  /// The digest of `bytes`.
  public init<Bytes: Sequence>(hashing bytes: Bytes) where Bytes.Element == UInt8 {
    var hasher = SHA256()
    hasher.update(data: Array(bytes))
    self.init(hasher.finalize())
  }

  /// The digest whose text is `hex`, in either letter case; nil where that isn't 64 hexadecimal digits.
  public init?(hex: some StringProtocol) {
    guard hex.utf8.count == 64, hex.utf8.allSatisfy(HexadecimalText.isDigit) else { return nil }
    self.hex = hex.lowercased()
  }

  /// Its text form.
  public var description: String { hex }

  /// The order of the text forms.
  public static func < (left: ContentDigest, right: ContentDigest) -> Bool { left.hex < right.hex }
}

extension ContentDigest: Codable {
  /// Reads the text form.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let digest = ContentDigest(hex: text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "not a SHA-256 of 64 hexadecimal digits: \(text)")
    }
    self = digest
  }

  /// Writes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(hex)
  }
}

/// Lower-case hexadecimal text of bytes.
enum HexadecimalText {
  static func encoded(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(64)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
