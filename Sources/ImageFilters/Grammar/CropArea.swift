/// What `crop` keeps: a size, placed by gravity, or a rectangle of the image.
public struct CropArea: Hashable, Sendable {
  /// In pixels, 1 to 65535.
  public var extent: Extent
  /// The rectangle's left and top edge, in pixels from the image's; nil where gravity places it.
  public var origin: Origin?

  /// A place in pixels, which may lie outside the image.
  public struct Origin: Hashable, Sendable {
    /// From the left.
    public var x: Int
    /// From the top.
    public var y: Int
  }

  /// `WxH` or `WxH+X+Y` (X and Y may be negative: `WxH-10+0`); nil for anything else.
  public init?(_ text: String) {
    let signs = text.indices.filter { text[$0] == "+" || text[$0] == "-" }
    guard signs.isEmpty || signs.count == 2 else { return nil }
    let sizeText = String(text[..<(signs.first ?? text.endIndex)])
    guard case .exact(let width, let height) = PixelSize(sizeText) else { return nil }
    extent = Extent(width: width, height: height)
    guard signs.count == 2 else { return }
    guard let x = Int(text[signs[0]..<signs[1]]), let y = Int(text[signs[1]...]),
      abs(x) <= 10_000_000, abs(y) <= 10_000_000
    else { return nil }
    origin = Origin(x: x, y: y)
  }

  /// As the grammar writes it.
  public var identifier: String {
    func signed(_ number: Int) -> String { number < 0 ? "\(number)" : "+\(number)" }
    return "\(extent.width)x\(extent.height)" + (origin.map { signed($0.x) + signed($0.y) } ?? "")
  }
}
