/// A size as a chain names it: whole pixels of the image as a viewer sees it, or a part of what it is.
public enum PixelSize: Hashable, Sendable {
  /// `WxH`: both sides, each 1 to 65535.
  case exact(width: Int, height: Int)
  /// `Wx`: the height follows the aspect.
  case width(Int)
  /// `xH`: the width follows the aspect.
  case height(Int)
  /// `50%`: both sides scaled; more than 0.
  case percent(Double)

  /// The sides that a size may have.
  public static let sides = 1...65_535

  /// The size that `text` is; nil for anything else.
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

  /// As the grammar writes it.
  public var identifier: String {
    switch self {
    case .exact(let width, let height): "\(width)x\(height)"
    case .width(let width): "\(width)x"
    case .height(let height): "x\(height)"
    case .percent(let percent): Number.text(percent) + "%"
    }
  }

  /// The two sides for an image of an extent, before rounding.
  func resolved(for extent: Extent) -> (width: Double, height: Double) {
    let (width, height) = (Double(extent.width), Double(extent.height))
    switch self {
    case .exact(let wanted, let tall): return (Double(wanted), Double(tall))
    case .width(let wanted): return (Double(wanted), height * Double(wanted) / width)
    case .height(let tall): return (width * Double(tall) / height, Double(tall))
    case .percent(let percent): return (width * percent / 100, height * percent / 100)
    }
  }
}

/// Whole pixels of one frame.
public struct Extent: Hashable, Sendable {
  /// In pixels, at least 1.
  public var width: Int
  /// In pixels, at least 1.
  public var height: Int

  /// A width and a height.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// The nearest whole pixels, never below 1.
  init(rounding width: Double, _ height: Double) {
    self.init(
      width: max(1, Int(width.rounded(.toNearestOrAwayFromZero))),
      height: max(1, Int(height.rounded(.toNearestOrAwayFromZero))))
  }
}
