/// A length in pixels, or as a percentage of an image's shorter side.
public enum Length: Hashable, Sendable {
  /// A number of pixels, 0 to 65535; may be fractional.
  case pixels(Double)
  /// A percentage of the shorter side, 0 to 65535.
  case percent(Double)

  /// Parses `N` or `N%`. Nil for any other text, or if the number is out of range.
  /// - Parameter text: The length in the chain grammar.
  public init?(_ text: String) {
    let isPercent = text.hasSuffix("%")
    guard let number = Number.parse(isPercent ? String(text.dropLast()) : text), number >= 0, number <= 65_535
    else { return nil }
    self = isPercent ? .percent(number) : .pixels(number)
  }

  /// The length in the chain grammar, as `N` or `N%`.
  public var identifier: String {
    switch self {
    case .pixels(let number): Number.text(number)
    case .percent(let number): Number.text(number) + "%"
    }
  }

  /// The length in pixels for an image of `extent`.
  func pixels(in extent: Size) -> Double {
    switch self {
    case .pixels(let number): number
    case .percent(let number): number / 100 * Double(min(extent.width, extent.height))
    }
  }
}

extension Length: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// Creates a length in pixels from an integer literal.
  public init(integerLiteral pixels: Int) { self = .pixels(Double(pixels)) }
  /// Creates a length in pixels from a floating-point literal.
  public init(floatLiteral pixels: Double) { self = .pixels(pixels) }
}
