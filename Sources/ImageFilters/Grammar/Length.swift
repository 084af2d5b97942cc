/// A length in pixels, or a part of an image's shorter side.
public enum Length: Hashable, Sendable {
  /// Pixels, 0 or more.
  case pixels(Double)
  /// `N%` of the shorter side, 0 or more.
  case percent(Double)

  /// The length that `text` is; nil for anything else.
  public init?(_ text: String) {
    let isPercent = text.hasSuffix("%")
    guard let number = Number.parse(isPercent ? String(text.dropLast()) : text), number >= 0, number <= 65_535
    else { return nil }
    self = isPercent ? .percent(number) : .pixels(number)
  }

  /// As the grammar writes it.
  public var identifier: String {
    switch self {
    case .pixels(let number): Number.text(number)
    case .percent(let number): Number.text(number) + "%"
    }
  }

  /// In pixels of an image.
  func pixels(in extent: Extent) -> Double {
    switch self {
    case .pixels(let number): number
    case .percent(let number): number / 100 * Double(min(extent.width, extent.height))
    }
  }
}
