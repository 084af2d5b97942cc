/// An argument of a libvips operation. It is converted to the type that the operation declares.
public enum VipsValue: Sendable {
  case boolean(Bool)
  case integer(Int)
  case double(Double)
  case string(String)
  /// A value of an enumeration by its nickname (`lanczos3`, `srgb` …).
  case nick(String)
  case doubles([Double])
  case integers([Int])
  case image(VipsImage)
  case images([VipsImage])
  /// An interpolator by its nickname (`bicubic`, `bilinear`, `nearest` …).
  case interpolator(String)
  /// Bytes, copied: libvips reads them long after the call.
  case bytes([UInt8])
}

extension VipsValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral
{
  /// A truth value.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// A whole number.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// A number.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// A text, or an enumeration's nickname where the operation declares one.
  public init(stringLiteral value: String) { self = .string(value) }
}

/// Named arguments, set in the order in which they are written.
public struct VipsArguments: Sendable, ExpressibleByDictionaryLiteral {
  var values: [(name: String, value: VipsValue)]

  /// The arguments of a literal.
  public init(dictionaryLiteral elements: (String, VipsValue)...) {
    values = elements.map { (name: $0.0, value: $0.1) }
  }

  /// An argument by name: setting one replaces it, nil takes it away.
  public subscript(name: String) -> VipsValue? {
    get { values.first { $0.name == name }?.value }
    set {
      values.removeAll { $0.name == name }
      if let newValue { values.append((name: name, value: newValue)) }
    }
  }

  /// These arguments, with `other`'s after them.
  public func merging(_ other: VipsArguments) -> VipsArguments {
    var result = self
    for (name, value) in other.values { result[name] = value }
    return result
  }
}
