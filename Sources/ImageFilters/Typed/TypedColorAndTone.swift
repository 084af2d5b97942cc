// swift-format-ignore-file
// Generated from FilterTable by `make generated`.

/// Every filter as a typed value, which is a chain of one filter. An argument that is out of range fails when the
/// filter is applied, and in ``FilterChain/check()``.
extension ImageFilter where Self == FilterChain {
  /// `grayscale`: convert to gray of the same luminance.
  public static var grayscale: FilterChain { FilterChain(typed: "grayscale") }

  /// `sepia`: apply a sepia tone, as CISepiaTone does.
  /// - Parameters:
  ///   - intensity: 0 leaves the image unchanged. Range: 0…1.
  public static func sepia(
    intensity: Double = 1
  ) -> FilterChain {
    FilterChain(
      typed: "sepia",
      [("intensity", .number(intensity))])
  }

  /// `invert`: invert the colors.
  public static var invert: FilterChain { FilterChain(typed: "invert") }

  /// `brightness`: lighten or darken by adding an amount to every channel.
  /// - Parameters:
  ///   - amount: Amount to add, where 1 is white; 0 changes nothing. Range: -1…1.
  public static func brightness(
    _ amount: Double
  ) -> FilterChain {
    FilterChain(
      typed: "brightness",
      [("amount", .number(amount))])
  }

  /// `contrast`: increase or reduce the contrast around middle gray.
  /// - Parameters:
  ///   - factor: Above 1 increases the contrast; 1 changes nothing. Range: 0…10.
  public static func contrast(
    _ factor: Double
  ) -> FilterChain {
    FilterChain(
      typed: "contrast",
      [("factor", .number(factor))])
  }

  /// `saturation`: make colors stronger or weaker.
  /// - Parameters:
  ///   - factor: 0 is gray, 1 changes nothing, above 1 is stronger. Range: 0…10.
  public static func saturation(
    _ factor: Double
  ) -> FilterChain {
    FilterChain(
      typed: "saturation",
      [("factor", .number(factor))])
  }

  /// `hue`: rotate the hue.
  /// - Parameters:
  ///   - angle: Rotation on the color wheel; 0 changes nothing. Range: -360…360 degrees.
  public static func hue(
    _ angle: Double
  ) -> FilterChain {
    FilterChain(
      typed: "hue",
      [("angle", .number(angle))])
  }

  /// `gamma`: lighten or darken the midtones.
  /// - Parameters:
  ///   - gamma: Above 1 lightens, below 1 darkens, 1 changes nothing. Range: 0.1…10.
  public static func gamma(
    _ gamma: Double
  ) -> FilterChain {
    FilterChain(
      typed: "gamma",
      [("gamma", .number(gamma))])
  }

  /// `exposure`: change the exposure in linear light.
  /// - Parameters:
  ///   - stops: Each stop doubles the light; 0 changes nothing. Range: -10…10 EV.
  public static func exposure(
    _ stops: Double
  ) -> FilterChain {
    FilterChain(
      typed: "exposure",
      [("stops", .number(stops))])
  }

  /// `tint`: color the image in shades of one color.
  /// - Parameters:
  ///   - color: Color of the midtones; black and white stay unchanged.
  ///   - intensity: 0 leaves the image unchanged. Range: 0…1.
  public static func tint(
    _ color: Color, intensity: Double = 1
  ) -> FilterChain {
    FilterChain(
      typed: "tint",
      [("colour", .color(color)), ("intensity", .number(intensity))])
  }

  /// `duotone`: map the tones to a gradient between two colors.
  /// - Parameters:
  ///   - dark: Color that replaces black.
  ///   - light: Color that replaces white.
  public static func duotone(
    dark: Color, light: Color
  ) -> FilterChain {
    FilterChain(
      typed: "duotone",
      [("dark", .color(dark)), ("light", .color(light))])
  }

  /// `opacity`: multiply the alpha channel.
  /// - Parameters:
  ///   - factor: 0 is fully transparent, 1 changes nothing. Range: 0…1.
  public static func opacity(
    _ factor: Double
  ) -> FilterChain {
    FilterChain(
      typed: "opacity",
      [("factor", .number(factor))])
  }

  /// `flatten`: remove the alpha channel by placing the image on a background.
  /// - Parameters:
  ///   - background: Background color; its alpha is ignored.
  public static func flatten(
    background: Color = .white
  ) -> FilterChain {
    FilterChain(
      typed: "flatten",
      [("background", .color(background))])
  }

  /// `normalize`: stretch the tones from black to white, clipping the darkest and lightest 1%.
  public static var normalize: FilterChain { FilterChain(typed: "normalize") }

  /// `posterize`: reduce each channel to a few levels.
  /// - Parameters:
  ///   - levels: Levels per channel. Range: 2…256, a whole number.
  public static func posterize(
    _ levels: Int
  ) -> FilterChain {
    FilterChain(
      typed: "posterize",
      [("levels", .integer(levels))])
  }

  /// `threshold`: make every pixel black or white.
  /// - Parameters:
  ///   - level: Luma from which a pixel becomes white. Range: 0…255.
  public static func threshold(
    level: Double = 128
  ) -> FilterChain {
    FilterChain(
      typed: "threshold",
      [("level", .number(level))])
  }
}
