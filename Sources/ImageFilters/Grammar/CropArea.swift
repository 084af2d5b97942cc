/// The area that `crop` keeps: a size placed by gravity, or a rectangle of the image.
public struct CropArea: Hashable, Sendable {
  /// Width and height in pixels, each 1 to 65535.
  public var extent: Size
  /// The rectangle's top left corner; nil if gravity places the area.
  public var origin: Origin?

  /// A position in pixels, which may lie outside the image.
  public struct Origin: Hashable, Sendable {
    /// Pixels from the image's left edge, -10,000,000 to 10,000,000.
    public var x: Int
    /// Pixels from the image's top edge, -10,000,000 to 10,000,000.
    public var y: Int
  }

  /// Creates an area that gravity places.
  /// - Parameter size: The width and height in pixels, each 1 to 65535; not checked until a chain uses the
  ///   area.
  public init(_ size: Size) { extent = size }

  /// Creates a rectangle of the image. The values are not checked until a chain uses the area.
  /// - Parameters:
  ///   - x: Pixels from the image's left edge, -10,000,000 to 10,000,000.
  ///   - y: Pixels from the image's top edge, -10,000,000 to 10,000,000.
  ///   - width: The width in pixels, 1 to 65535.
  ///   - height: The height in pixels, 1 to 65535.
  public init(x: Int, y: Int, width: Int, height: Int) {
    extent = Size(width: width, height: height)
    origin = Origin(x: x, y: y)
  }

  /// Parses `WxH` or `WxH+X+Y` (X and Y may be negative: `WxH-10+0`). Nil for any other text.
  /// - Parameter text: The area in the chain grammar.
  public init?(_ text: String) {
    let signs = text.indices.filter { text[$0] == "+" || text[$0] == "-" }
    guard signs.isEmpty || signs.count == 2 else { return nil }
    let sizeText = String(text[..<(signs.first ?? text.endIndex)])
    guard case .exact(let width, let height) = SizeSpecification(sizeText) else { return nil }
    extent = Size(width: width, height: height)
    guard signs.count == 2 else { return }
    guard let x = Int(text[signs[0]..<signs[1]]), let y = Int(text[signs[1]...]),
      abs(x) <= 10_000_000, abs(y) <= 10_000_000
    else { return nil }
    origin = Origin(x: x, y: y)
  }

  /// The area in the chain grammar, as `WxH` or `WxH+X+Y`.
  public var identifier: String {
    func signed(_ number: Int) -> String { number < 0 ? "\(number)" : "+\(number)" }
    return "\(extent.width)x\(extent.height)" + (origin.map { signed($0.x) + signed($0.y) } ?? "")
  }
}
