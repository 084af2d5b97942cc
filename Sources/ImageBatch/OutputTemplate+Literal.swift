import SystemIO

/// Templates in Swift code, without `try`. Braces in a literal are fields; interpolated values are taken literally:
///
///     Job(source: url, output: "thumbs/\(id)-{width}.webp")
///
/// If the literal is invalid, its job fails with the code `bad-output`.
extension OutputTemplate: ExpressibleByStringInterpolation {
  /// Collects the pieces of an interpolated template.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    /// Creates an empty interpolation.
    public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    /// Appends a part of the template, in which braces are fields.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Appends a value, in which braces are just characters. A value may contain slashes.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      text += value.description.replacing(scalar: "{", with: "{{").replacing(scalar: "}", with: "}}")
    }
  }

  /// Parses a literal.
  public init(stringLiteral text: String) {
    do throws(TemplateError) {
      try self.init(parsing: text)
    } catch {
      self.init(invalid: text, error)
    }
  }

  /// Parses an interpolated literal.
  public init(stringInterpolation: StringInterpolation) { self.init(stringLiteral: stringInterpolation.text) }

  /// Creates a template without fields: exactly this path.
  public init(path: String) { self = "\(path)" }
}
