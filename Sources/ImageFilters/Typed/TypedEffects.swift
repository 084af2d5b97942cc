// swift-format-ignore-file
// Generated from FilterTable by `make generated`.

/// Every filter as a typed value, which is a chain of one filter. An argument that is out of range fails when the
/// filter is applied, and in ``FilterChain/check()``.
extension ImageFilter where Self == FilterChain {
  /// `blur`: Gaussian blur.
  /// - Parameters:
  ///   - radius: Standard deviation. Range: 0…1000 px.
  ///   - edge: Pixels beyond the image: clamp repeats the edge pixels; transparent makes them transparent; extend also makes them transparent, and grows the canvas by 3 radii on each side.
  ///   - linear: Blur in linear light instead of sRGB values.
  public static func blur(
    radius: Double = 10, edge: FilterChain.BlurEdge = .clamp, linear: Bool = false
  ) -> FilterChain {
    FilterChain(
      typed: "blur",
      [("radius", .number(radius)), ("edge", .word(edge.rawValue)), ("linear", .boolean(linear))])
  }

  /// `box-blur`: box blur: the mean of the square around each pixel.
  /// - Parameters:
  ///   - radius: Pixels on each side of the center pixel. Range: 0…1000 px, a whole number.
  public static func boxBlur(
    radius: Int = 10
  ) -> FilterChain {
    FilterChain(
      typed: "box-blur",
      [("radius", .integer(radius))])
  }

  /// `median`: median filter: remove specks, keep edges.
  /// - Parameters:
  ///   - size: Side of the square, rounded up to an odd number. Range: 1…63 px, a whole number.
  public static func median(
    size: Int = 3
  ) -> FilterChain {
    FilterChain(
      typed: "median",
      [("size", .integer(size))])
  }

  /// `sharpen`: sharpen the luma without changing colors.
  /// - Parameters:
  ///   - sigma: Standard deviation of the blur; small for fine detail. Range: 0.1…10 px.
  ///   - amount: Strength; 0 changes nothing. Range: 0…10.
  public static func sharpen(
    sigma: Double = 1, amount: Double = 1
  ) -> FilterChain {
    FilterChain(
      typed: "sharpen",
      [("sigma", .number(sigma)), ("amount", .number(amount))])
  }

  /// `unsharp`: unsharp mask: sharpen by the difference from a Gaussian blur.
  /// - Parameters:
  ///   - radius: Standard deviation of the blur. Range: 0…100 px.
  ///   - intensity: Strength; 0 changes nothing. Range: 0…10.
  public static func unsharp(
    radius: Double = 2.5, intensity: Double = 0.5
  ) -> FilterChain {
    FilterChain(
      typed: "unsharp",
      [("radius", .number(radius)), ("intensity", .number(intensity))])
  }

  /// `pixelate`: replace squares of pixels by their mean color.
  /// - Parameters:
  ///   - size: Side of the squares. Range: 1…1000 px, a whole number.
  public static func pixelate(
    size: Int = 8
  ) -> FilterChain {
    FilterChain(
      typed: "pixelate",
      [("size", .integer(size))])
  }

  /// `vignette`: darken the image toward the corners.
  /// - Parameters:
  ///   - intensity: Darkness of the corners; 1 is black. Range: 0…1.
  ///   - radius: Where darkening starts; 0 is the center, 1 the corners. Range: 0…2.
  public static func vignette(
    intensity: Double = 0.5, radius: Double = 0.5
  ) -> FilterChain {
    FilterChain(
      typed: "vignette",
      [("intensity", .number(intensity)), ("radius", .number(radius))])
  }

  /// `edges`: show edges, light on black (Sobel operator).
  /// - Parameters:
  ///   - intensity: Brightness of the edges. Range: 0…100.
  public static func edges(
    intensity: Double = 1
  ) -> FilterChain {
    FilterChain(
      typed: "edges",
      [("intensity", .number(intensity))])
  }
}
