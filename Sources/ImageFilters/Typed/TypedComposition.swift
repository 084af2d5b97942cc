// swift-format-ignore-file
// Generated from FilterTable by `make generated`.

/// Every filter as a typed value, which is a chain of one filter. An argument that is out of range fails when the
/// filter is applied, and in ``FilterChain/check()``.
extension ImageFilter where Self == FilterChain {
  /// `overlay`: place another image over this one.
  /// - Parameters:
  ///   - source: The image to place.
  ///   - gravity: Where to place it.
  ///   - x: Horizontal offset: inward from an edge, or to the right of the center. Range: -65535…65535 px, a whole number.
  ///   - y: Vertical offset: inward from an edge, or down from the center. Range: -65535…65535 px, a whole number.
  ///   - opacity: 0 is transparent, 1 is opaque. Range: 0…1.
  ///   - scale: Scale factor of the overlay. Range: 0.001…100.
  ///   - tile: Repeat the overlay across the whole image.
  ///   - blend: Blend mode.
  ///   - size: Width of the overlay relative to this image's width; scale has no effect then.
  public static func overlay(
    _ source: String, gravity: Gravity = .center, x: Int = 0, y: Int = 0, opacity: Double = 1, scale: Double = 1, tile: Bool = false, blend: FilterChain.OverlayBlend = .over, size: Double? = nil
  ) -> FilterChain {
    FilterChain(
      typed: "overlay",
      [("source", .text(source)), ("gravity", .gravity(gravity)), ("x", .integer(x)), ("y", .integer(y)), ("opacity", .number(opacity)), ("scale", .number(scale)), ("tile", .boolean(tile)), ("blend", .word(blend.rawValue)), ("size", size.map { .percentage($0) })])
  }

  /// `text`: draw text over the image.
  /// - Parameters:
  ///   - string: The text to draw; write , : = % as %2C %3A %3D %25.
  ///   - font: Font family and style (sans bold), or the path of a font file.
  ///   - size: Font size. Range: 1…2000 px.
  ///   - color: Text color.
  ///   - gravity: Where to place it.
  ///   - x: Horizontal offset: inward from an edge, or to the right of the center. Range: -65535…65535 px, a whole number.
  ///   - y: Vertical offset: inward from an edge, or down from the center. Range: -65535…65535 px, a whole number.
  ///   - opacity: 0 is transparent, 1 is opaque. Range: 0…1.
  ///   - width: Width at which lines wrap (default: the image's width). Range: 1…65535 px, a whole number.
  public static func text(
    _ string: String, font: String = "sans", size: Double = 32, color: Color = .black, gravity: Gravity = .center, x: Int = 0, y: Int = 0, opacity: Double = 1, width: Int? = nil
  ) -> FilterChain {
    FilterChain(
      typed: "text",
      [("string", .text(string)), ("font", .text(font)), ("size", .number(size)), ("colour", .color(color)), ("gravity", .gravity(gravity)), ("x", .integer(x)), ("y", .integer(y)), ("opacity", .number(opacity)), ("width", width.map { .integer($0) })])
  }

  /// `mask`: make the image transparent where a mask is dark or transparent.
  /// - Parameters:
  ///   - source: The mask image, which is scaled to this image's size.
  public static func mask(
    _ source: String
  ) -> FilterChain {
    FilterChain(
      typed: "mask",
      [("source", .text(source))])
  }

  /// `transition`: make an animation from another image to this one (the output format must hold animations).
  /// - Parameters:
  ///   - from: The first image, scaled and cropped to this image's size.
  ///   - kind: Transition effect.
  ///   - duration: Total duration. Range: 1ms…60000ms, with its unit, such as 400ms or 0.4s.
  ///   - fps: Frames per second. Range: 1…60, a whole number.
  public static func transition(
    from: String, kind: FilterChain.TransitionKind = .crossdissolve, duration: Duration = .milliseconds(400), fps: Int = 30
  ) -> FilterChain {
    FilterChain(
      typed: "transition",
      [("from", .text(from)), ("kind", .word(kind.rawValue)), ("duration", .duration(duration)), ("fps", .integer(fps))])
  }
}
