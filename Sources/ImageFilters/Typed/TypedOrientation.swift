// swift-format-ignore-file
// Generated from FilterTable by `make generated`.

/// Every filter as a typed value, which is a chain of one filter. An argument that is out of range fails when the
/// filter is applied, and in ``FilterChain/check()``.
extension ImageFilter where Self == FilterChain {
  /// `rotate`: rotate clockwise (multiples of 90 are lossless; other angles enlarge the canvas).
  /// - Parameters:
  ///   - angle: Clockwise angle. Range: -360…360 degrees.
  ///   - background: Color of the uncovered corners.
  public static func rotate(
    _ angle: Double, background: Color = .transparent
  ) -> FilterChain {
    FilterChain(
      typed: "rotate",
      [("angle", .number(angle)), ("background", .color(background))])
  }

  /// `flip`: mirror vertically, top to bottom.
  public static var flip: FilterChain { FilterChain(typed: "flip") }

  /// `flop`: mirror horizontally, left to right.
  public static var flop: FilterChain { FilterChain(typed: "flop") }
}
