package import Crypto

/// A SHA-256 digest, which identifies a source's content, a stored object or an output.
///
/// Its text form is 64 lower-case hexadecimal digits.
public struct ContentDigest: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The 32 bytes as big-endian words.
  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// The first 64 bits.
  package var prefix: UInt64 { words.0 }

  /// The 64 lower-case hexadecimal digits.
  public var hex: String {
    String(unsafeUninitializedCapacity: 64) { text in
      var index = 0
      for word in [words.0, words.1, words.2, words.3] {
        for shift in stride(from: 60, through: 0, by: -4) {
          text[index] = HexadecimalText.digit(UInt8(truncatingIfNeeded: word >> UInt64(shift)) & 15)
          index += 1
        }
      }
      return 64
    }
  }

  /// Creates a digest from a finished SHA-256 of swift-crypto.
  /// - Parameter digest: The result of `SHA256.finalize()`.
  package init(_ digest: SHA256.Digest) {
    words = digest.withUnsafeBytes { bytes in
      func word(_ index: Int) -> UInt64 {
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
      }
      return (word(0), word(1), word(2), word(3))
    }
  }

  /// Computes the SHA-256 of bytes in memory.
  /// - Parameter bytes: The bytes, which are copied; may be empty.
  public init<Bytes: Sequence>(hashing bytes: Bytes) where Bytes.Element == UInt8 {
    var hasher = SHA256()
    hasher.update(data: Array(bytes))
    self.init(hasher.finalize())
  }

  /// Parses 64 hexadecimal digits in either letter case; nil for any other text.
  /// - Parameter hex: The digits, without a prefix such as `sha256:`.
  public init?(hex: some StringProtocol) {
    var text = String(hex)
    let words: (UInt64, UInt64, UInt64, UInt64)? = text.withUTF8 { digits in
      guard digits.count == 64, let first = HexadecimalText.word(digits[..<16]),
        let second = HexadecimalText.word(digits[16..<32]), let third = HexadecimalText.word(digits[32..<48]),
        let fourth = HexadecimalText.word(digits[48...])
      else { return nil }
      return (first, second, third, fourth)
    }
    guard let words else { return nil }
    self.words = words
  }

  /// The 64 lower-case hexadecimal digits, like ``hex``.
  public var description: String { hex }

  /// Compares by the order of the text forms.
  /// - Parameters:
  ///   - left: The digest that may come first.
  ///   - right: The digest to compare with.
  public static func < (left: ContentDigest, right: ContentDigest) -> Bool { left.words < right.words }

  /// Whether all 32 bytes are equal. The comparison doesn't take constant time.
  /// - Parameters:
  ///   - left: A digest.
  ///   - right: The digest to compare with.
  public static func == (left: ContentDigest, right: ContentDigest) -> Bool { left.words == right.words }

  /// Hashes only the first 8 bytes, which are uniformly distributed.
  public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension ContentDigest: Codable {
  /// Decodes the text form.
  /// - Parameter decoder: A decoder with a single string.
  /// - Throws: `DecodingError` if the value isn't a string of 64 hexadecimal digits.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let digest = ContentDigest(hex: text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "not a SHA-256 of 64 hexadecimal digits: \(text)")
    }
    self = digest
  }

  /// Encodes the text form: 64 lower-case hexadecimal digits.
  /// - Parameter encoder: The encoder, which receives a single string.
  /// - Throws: The encoder's error.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(hex)
  }
}

enum HexadecimalText {
  static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  /// The value of up to 16 digits; nil if a character isn't one.
  static func word(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64? {
    var word: UInt64 = 0
    for digit in digits {
      guard let value = value(digit) else { return nil }
      word = word << 4 | UInt64(value)
    }
    return word
  }

  /// The value of a digit in either letter case; nil for other characters.
  static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
