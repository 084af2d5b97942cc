/// One field of an HTTP message, as it was received or is to be sent.
public struct HeaderField: Hashable, Sendable, Codable {
  /// The name in the letter case of the message; compared without regard to case.
  public var name: String
  /// The value without surrounding blanks.
  public var value: String

  /// A field.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Whether the field has this name, in any letter case.
  public func isNamed(_ other: String) -> Bool {
    name.utf8.count == other.utf8.count
      && zip(name.utf8, other.utf8).allSatisfy { Self.lowercased($0) == Self.lowercased($1) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
  }
}

extension [HeaderField] {
  /// The values of all fields of this name, in their order.
  public func values(of name: String) -> [String] {
    compactMap { $0.isNamed(name) ? $0.value : nil }
  }

  /// The value of the first field of this name.
  public func first(_ name: String) -> String? {
    first { $0.isNamed(name) }?.value
  }

  /// All values of this name joined by commas (RFC 9110 §5.3), or nil where there is none.
  public func combined(_ name: String) -> String? {
    let values = values(of: name)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// Replaces every field of this name by one.
  public mutating func set(_ name: String, _ value: String) {
    removeAll { $0.isNamed(name) }
    append(HeaderField(name, value))
  }

  /// Removes every field of this name.
  public mutating func remove(_ name: String) {
    removeAll { $0.isNamed(name) }
  }
}
