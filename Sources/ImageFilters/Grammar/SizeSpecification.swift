/// A size in a chain: in pixels of the upright image, or as a percentage of the image's size.
public enum SizeSpecification: Hashable, Sendable {
  /// `WxH`: width and height in pixels, each 1 to 65535.
  case exact(width: Int, height: Int)
  /// `Wx`: width in pixels; the height follows from the aspect ratio.
  case width(Int)
  /// `xH`: height in pixels; the width follows from the aspect ratio.
  case height(Int)
  /// `N%`: both sides scaled; more than 0, at most 10000.
  case percent(Double)

  /// Creates a specification of an exact size.
  /// - Parameter size: The width and height in pixels, each 1 to 65535; not checked until a chain uses the
  ///   size.
  public init(_ size: Size) { self = .exact(width: size.width, height: size.height) }

  /// The valid lengths of a side in pixels.
  public static let sides = 1...65_535

  /// Parses `WxH`, `Wx`, `xH` or `N%`. Nil for any other text, or if a number is out of range.
  /// - Parameter text: The size in the chain grammar.
  public init?(_ text: String) {
    if text.hasSuffix("%") {
      guard let percent = Number.parse(String(text.dropLast())), percent > 0, percent <= 10_000 else {
        return nil
      }
      self = .percent(percent)
      return
    }
    let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    switch (Self.side(parts[0]), Self.side(parts[1])) {
    case (let width?, let height?): self = .exact(width: width, height: height)
    case (let width?, nil) where parts[1].isEmpty: self = .width(width)
    case (nil, let height?) where parts[0].isEmpty: self = .height(height)
    default: return nil
    }
  }

  private static func side(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let side = Int(text),
      sides.contains(side)
    else { return nil }
    return side
  }

  /// The size in the chain grammar, such as `100x100`, `100x`, `x100` or `50%`.
  public var identifier: String {
    switch self {
    case .exact(let width, let height): "\(width)x\(height)"
    case .width(let width): "\(width)x"
    case .height(let height): "x\(height)"
    case .percent(let percent): Number.text(percent) + "%"
    }
  }

  /// The target width and height in pixels for an image of `extent`, before rounding.
  func resolved(for extent: Size) -> (width: Double, height: Double) {
    let (width, height) = (Double(extent.width), Double(extent.height))
    switch self {
    case .exact(let wanted, let tall): return (Double(wanted), Double(tall))
    case .width(let wanted): return (Double(wanted), height * Double(wanted) / width)
    case .height(let tall): return (width * Double(tall) / height, Double(tall))
    case .percent(let percent): return (width * percent / 100, height * percent / 100)
    }
  }
}

/// The size of one frame in whole pixels.
public struct Size: Hashable, Sendable {
  /// Width in pixels, at least 1.
  public var width: Int
  /// Height in pixels, at least 1.
  public var height: Int

  /// Creates a size.
  /// - Parameters:
  ///   - width: The width in pixels; not checked.
  ///   - height: The height in pixels; not checked.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Rounds to whole pixels, at least 1.
  init(rounding width: Double, _ height: Double) {
    self.init(
      width: max(1, Int(width.rounded(.toNearestOrAwayFromZero))),
      height: max(1, Int(height.rounded(.toNearestOrAwayFromZero))))
  }
}
