/// A header field of an HTTP message.
public struct HeaderField: Hashable, Sendable, Codable {
  /// The name in its original letter case.
  public var name: String
  /// The value without leading and trailing whitespace.
  public var value: String

  /// Creates a field. Neither text is checked.
  /// - Parameters:
  ///   - name: The name, such as `Content-Type`.
  ///   - value: The value without leading and trailing whitespace.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Whether the field has this name, ignoring case (RFC 9110 §5.1).
  /// - Parameter other: The name, in any letter case.
  public func isNamed(_ other: String) -> Bool {
    name.utf8.count == other.utf8.count
      && zip(name.utf8, other.utf8).allSatisfy { Self.lowercased($0) == Self.lowercased($1) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
  }
}

extension [HeaderField] {
  /// The values of all fields with this name, in order.
  /// - Parameter name: The name, in any letter case.
  /// - Returns: The values; empty if there are none.
  public func values(of name: String) -> [String] {
    compactMap { $0.isNamed(name) ? $0.value : nil }
  }

  /// The value of the first field with this name.
  /// - Parameter name: The name, in any letter case.
  /// - Returns: The value; nil if there is no such field.
  public func first(_ name: String) -> String? {
    first { $0.isNamed(name) }?.value
  }

  /// All values of this name joined by commas (RFC 9110 §5.3).
  /// - Parameter name: The name, in any letter case.
  /// - Returns: The joined values; nil if there are none.
  public func combined(_ name: String) -> String? {
    let values = values(of: name)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// Replaces all fields with a name by one, at the end. Names are compared ignoring case.
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - value: The new value.
  public mutating func set(_ name: String, _ value: String) {
    removeAll { $0.isNamed(name) }
    append(HeaderField(name, value))
  }

  /// Removes all fields with this name.
  /// - Parameter name: The name, in any letter case.
  public mutating func remove(_ name: String) {
    removeAll { $0.isNamed(name) }
  }
}
