/// Reads and writes the fields of a Protocol Buffers message (the wire format's varints and length-delimited values).
enum ProtobufFields {
  enum Value: Equatable {
    case number(UInt64)
    case bytes([UInt8])
  }

  /// The fields in order; nil if the bytes aren't a message. Fixed-width values are skipped.
  static func parse(_ bytes: [UInt8]) -> [(number: Int, value: Value)]? {
    var reader = Reader(bytes: bytes)
    var fields: [(number: Int, value: Value)] = []
    while !reader.isAtEnd {
      guard let tag = reader.varint(), let number = Int(exactly: tag >> 3), number > 0 else { return nil }
      switch tag & 7 {
      case 0:
        guard let value = reader.varint() else { return nil }
        fields.append((number, .number(value)))
      case 1: guard reader.take(8) != nil else { return nil }
      case 2:
        guard let count = reader.varint().flatMap({ Int(exactly: $0) }), let value = reader.take(count) else {
          return nil
        }
        fields.append((number, .bytes(Array(value))))
      case 5: guard reader.take(4) != nil else { return nil }
      default: return nil
      }
    }
    return fields
  }

  static func field(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
    varint(UInt64(number) << 3 | 2) + varint(UInt64(bytes.count)) + bytes
  }

  static func field(_ number: Int, _ value: UInt64) -> [UInt8] { varint(UInt64(number) << 3) + varint(value) }

  private static func varint(_ value: UInt64) -> [UInt8] {
    var (rest, bytes) = (value, [UInt8]())
    while rest > 0x7f {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  private struct Reader {
    let bytes: [UInt8]
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    mutating func varint() -> UInt64? {
      var value: UInt64 = 0
      for shift in stride(from: UInt64(0), to: 70, by: 7) {
        guard position < bytes.count else { return nil }
        let byte = bytes[position]
        position += 1
        // The tenth byte has room for one bit.
        guard shift < 63 || byte <= 1 else { return nil }
        value |= UInt64(byte & 0x7f) << shift
        if byte < 0x80 { return value }
      }
      return nil
    }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
      guard count >= 0, count <= bytes.count - position else { return nil }
      defer { position += count }
      return bytes[position..<position + count]
    }
  }
}
