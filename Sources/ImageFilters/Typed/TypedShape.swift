// swift-format-ignore-file
// Generated from FilterTable by `make generated`.

/// Every filter as a typed value, which is a chain of one filter. An argument that is out of range fails when the
/// filter is applied, and in ``FilterChain/check()``.
extension ImageFilter where Self == FilterChain {
  /// `rounded`: round the corners, with transparency and anti-aliased edges.
  /// - Parameters:
  ///   - radius: Radius of the corners that have no radius of their own; at most half the shorter side.
  ///   - tl: Radius of the top left corner.
  ///   - tr: Radius of the top right corner.
  ///   - br: Radius of the bottom right corner.
  ///   - bl: Radius of the bottom left corner.
  ///   - style: A quarter circle, or Apple's smoother continuous curve.
  public static func rounded(
    radius: Length? = nil, tl: Length? = nil, tr: Length? = nil, br: Length? = nil, bl: Length? = nil, style: FilterChain.RoundedStyle = .continuous
  ) -> FilterChain {
    FilterChain(
      typed: "rounded",
      [("radius", radius.map { .length($0) }), ("tl", tl.map { .length($0) }), ("tr", tr.map { .length($0) }), ("br", br.map { .length($0) }), ("bl", bl.map { .length($0) }), ("style", .word(style.rawValue))])
  }

  /// `circle`: crop to the center square, then cut out a circle.
  public static var circle: FilterChain { FilterChain(typed: "circle") }

  /// `border`: draw a line inside the edge; after circle or rounded, it follows the curve.
  /// - Parameters:
  ///   - width: Width of the line. Range: 1…10000 px, a whole number.
  ///   - color: Color of the line.
  public static func border(
    width: Int = 1, color: Color = .white
  ) -> FilterChain {
    FilterChain(
      typed: "border",
      [("width", .integer(width)), ("colour", .color(color))])
  }

  /// `fill-circle`: fill, then cut out a circle.
  /// - Parameters:
  ///   - width: Target width in pixels, 1…65535.
  ///   - height: Target height in pixels, 1…65535.
  public static func fillCircle(
    width: Int, height: Int
  ) -> FilterChain {
    FilterChain(
      typed: "fill-circle",
      [("size", .size(.exact(width: width, height: height)))])
  }

  /// `fill-circle`: fill, then cut out a circle.
  /// - Parameters:
  ///   - width: Target width in pixels; the height follows from the aspect ratio.
  public static func fillCircle(
    width: Int
  ) -> FilterChain {
    FilterChain(
      typed: "fill-circle",
      [("size", .size(.width(width)))])
  }

  /// `fill-circle`: fill, then cut out a circle.
  /// - Parameters:
  ///   - height: Target height in pixels; the width follows from the aspect ratio.
  public static func fillCircle(
    height: Int
  ) -> FilterChain {
    FilterChain(
      typed: "fill-circle",
      [("size", .size(.height(height)))])
  }

  /// `fill-circle`: fill, then cut out a circle.
  /// - Parameters:
  ///   - size: Target size.
  public static func fillCircle(
    _ size: SizeSpecification
  ) -> FilterChain {
    FilterChain(
      typed: "fill-circle",
      [("size", .size(size))])
  }

  /// `fill-rounded`: fill, then round the corners.
  /// - Parameters:
  ///   - width: Target width in pixels, 1…65535.
  ///   - height: Target height in pixels, 1…65535.
  ///   - radius: Radius of the corners.
  public static func fillRounded(
    width: Int, height: Int, radius: Length
  ) -> FilterChain {
    FilterChain(
      typed: "fill-rounded",
      [("size", .size(.exact(width: width, height: height))), ("radius", .length(radius))])
  }

  /// `fill-rounded`: fill, then round the corners.
  /// - Parameters:
  ///   - width: Target width in pixels; the height follows from the aspect ratio.
  ///   - radius: Radius of the corners.
  public static func fillRounded(
    width: Int, radius: Length
  ) -> FilterChain {
    FilterChain(
      typed: "fill-rounded",
      [("size", .size(.width(width))), ("radius", .length(radius))])
  }

  /// `fill-rounded`: fill, then round the corners.
  /// - Parameters:
  ///   - height: Target height in pixels; the width follows from the aspect ratio.
  ///   - radius: Radius of the corners.
  public static func fillRounded(
    height: Int, radius: Length
  ) -> FilterChain {
    FilterChain(
      typed: "fill-rounded",
      [("size", .size(.height(height))), ("radius", .length(radius))])
  }

  /// `fill-rounded`: fill, then round the corners.
  /// - Parameters:
  ///   - size: Target size.
  ///   - radius: Radius of the corners.
  public static func fillRounded(
    _ size: SizeSpecification, radius: Length
  ) -> FilterChain {
    FilterChain(
      typed: "fill-rounded",
      [("size", .size(size)), ("radius", .length(radius))])
  }

  /// `scale-circle`: scale, then cut out a circle.
  /// - Parameters:
  ///   - width: Target width in pixels, 1…65535.
  ///   - height: Target height in pixels, 1…65535.
  public static func scaleCircle(
    width: Int, height: Int
  ) -> FilterChain {
    FilterChain(
      typed: "scale-circle",
      [("size", .size(.exact(width: width, height: height)))])
  }

  /// `scale-circle`: scale, then cut out a circle.
  /// - Parameters:
  ///   - width: Target width in pixels; the height follows from the aspect ratio.
  public static func scaleCircle(
    width: Int
  ) -> FilterChain {
    FilterChain(
      typed: "scale-circle",
      [("size", .size(.width(width)))])
  }

  /// `scale-circle`: scale, then cut out a circle.
  /// - Parameters:
  ///   - height: Target height in pixels; the width follows from the aspect ratio.
  public static func scaleCircle(
    height: Int
  ) -> FilterChain {
    FilterChain(
      typed: "scale-circle",
      [("size", .size(.height(height)))])
  }

  /// `scale-circle`: scale, then cut out a circle.
  /// - Parameters:
  ///   - size: Target size.
  public static func scaleCircle(
    _ size: SizeSpecification
  ) -> FilterChain {
    FilterChain(
      typed: "scale-circle",
      [("size", .size(size))])
  }

  /// `scale-rounded`: scale, then round the corners.
  /// - Parameters:
  ///   - width: Target width in pixels, 1…65535.
  ///   - height: Target height in pixels, 1…65535.
  ///   - radius: Radius of the corners.
  public static func scaleRounded(
    width: Int, height: Int, radius: Length
  ) -> FilterChain {
    FilterChain(
      typed: "scale-rounded",
      [("size", .size(.exact(width: width, height: height))), ("radius", .length(radius))])
  }

  /// `scale-rounded`: scale, then round the corners.
  /// - Parameters:
  ///   - width: Target width in pixels; the height follows from the aspect ratio.
  ///   - radius: Radius of the corners.
  public static func scaleRounded(
    width: Int, radius: Length
  ) -> FilterChain {
    FilterChain(
      typed: "scale-rounded",
      [("size", .size(.width(width))), ("radius", .length(radius))])
  }

  /// `scale-rounded`: scale, then round the corners.
  /// - Parameters:
  ///   - height: Target height in pixels; the width follows from the aspect ratio.
  ///   - radius: Radius of the corners.
  public static func scaleRounded(
    height: Int, radius: Length
  ) -> FilterChain {
    FilterChain(
      typed: "scale-rounded",
      [("size", .size(.height(height))), ("radius", .length(radius))])
  }

  /// `scale-rounded`: scale, then round the corners.
  /// - Parameters:
  ///   - size: Target size.
  ///   - radius: Radius of the corners.
  public static func scaleRounded(
    _ size: SizeSpecification, radius: Length
  ) -> FilterChain {
    FilterChain(
      typed: "scale-rounded",
      [("size", .size(size)), ("radius", .length(radius))])
  }
}
