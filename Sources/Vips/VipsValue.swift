/// An argument of a libvips operation, converted to the type that the operation declares.
public enum VipsValue: Sendable {
  /// A flag (`gboolean`).
  case boolean(Bool)
  /// An integer (`gint`), a floating-point number (`gdouble`) or flags, by the type that the operation
  /// declares.
  case integer(Int)
  /// A floating-point number (`gdouble`).
  case double(Double)
  /// A string, or an enumeration value by its nickname if the operation declares an enumeration.
  case string(String)
  /// An enumeration value, by its nickname (`lanczos3`, `srgb` …).
  case nick(String)
  /// An array of floating-point numbers (`VipsArrayDouble`).
  case doubles([Double])
  /// An array of integers (`VipsArrayInt`), or of floating-point numbers if the operation declares those.
  case integers([Int])
  /// An image. The operation holds a reference to it.
  case image(VipsImage)
  /// An array of images (`VipsArrayImage`). The operation holds a reference to each.
  case images([VipsImage])
  /// An interpolator, by its nickname (`bicubic`, `bilinear`, `nearest` …).
  case interpolator(String)
  /// A blob. The bytes are copied, because libvips reads them after the call.
  case bytes([UInt8])
}

extension VipsValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral
{
  /// Creates a ``VipsValue/boolean(_:)`` from a literal.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// Creates a ``VipsValue/integer(_:)`` from a literal, which floating-point arguments accept too.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// Creates a ``VipsValue/double(_:)`` from a literal, which integer arguments reject.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Creates a ``VipsValue/string(_:)`` from a literal, which is read as a nickname if the operation declares
  /// an enumeration.
  public init(stringLiteral value: String) { self = .string(value) }
}

/// Named arguments of an operation, set in the order in which they are written.
public struct VipsArguments: Sendable, ExpressibleByDictionaryLiteral {
  var values: [(name: String, value: VipsValue)]

  /// Creates arguments from a dictionary literal, keeping its order.
  public init(dictionaryLiteral elements: (String, VipsValue)...) {
    values = elements.map { (name: $0.0, value: $0.1) }
  }

  /// The argument with a name; nil if there is none. Setting nil removes it, and setting a value moves it to
  /// the end.
  /// - Parameter name: The argument's name in libvips, such as `kernel`.
  public subscript(name: String) -> VipsValue? {
    get { values.first { $0.name == name }?.value }
    set {
      values.removeAll { $0.name == name }
      if let newValue { values.append((name: name, value: newValue)) }
    }
  }

  /// Combines arguments.
  /// - Parameter other: The arguments that follow. They replace arguments of the same name.
  public func merging(_ other: VipsArguments) -> VipsArguments {
    var result = self
    for (name, value) in other.values { result[name] = value }
    return result
  }
}
