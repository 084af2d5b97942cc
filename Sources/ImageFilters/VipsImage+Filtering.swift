public import Vips

/// AlamofireImage's extensions of `UIImage`, for libvips images. Sizes are in pixels.
extension VipsImage {
  /// Decodes and computes all pixels now instead of on first use.
  ///
  ///     let ready = try photograph.inflated()
  /// - Throws: `FilterError` with code `filter-failed` if the image can't be decoded.
  public func inflated() throws(FilterError) -> VipsImage {
    do {
      return try materialized()
    } catch {
      throw FilterError(.failed, "the image can't be decoded: \(error.description)", cause: error)
    }
  }

  /// Whether the image has an alpha channel, even if every pixel is opaque.
  public var containsAlphaComponent: Bool { hasAlpha }

  /// Whether the image has no alpha channel.
  public var isOpaque: Bool { !hasAlpha }

  /// Scales to exactly the size, ignoring the aspect ratio: `scale`.
  public func imageScaled(to size: Size) throws(FilterError) -> VipsImage {
    try ScaledToSizeFilter(size: size).apply(to: self)
  }

  /// Fits the image into the size on a transparent canvas, at subpixel positions: `pad:S:snap=false`.
  public func imageAspectScaled(toFit size: Size) throws(FilterError) -> VipsImage {
    try AspectScaledToFitSizeFilter(size: size).apply(to: self)
  }

  /// Scales to cover the size and crops around the center, at subpixel positions: `fill:S:snap=false`.
  public func imageAspectScaled(toFill size: Size) throws(FilterError) -> VipsImage {
    try AspectScaledToFillSizeFilter(size: size).apply(to: self)
  }

  /// Rounds the corners with Apple's continuous curve: `rounded:R:style=continuous`.
  public func imageRounded(withCornerRadius radius: Double) throws(FilterError) -> VipsImage {
    try RoundedCornersFilter(radius: radius).apply(to: self)
  }

  /// Crops to the center square, then to a circle: `circle`.
  public func imageRoundedIntoCircle() throws(FilterError) -> VipsImage {
    try CircleFilter().apply(to: self)
  }

  /// Applies a Core Image filter by name: `ci:NAME`.
  public func imageFiltered(
    withCoreImageFilter name: String, parameters: [String: String] = [:]
  ) throws(FilterError) -> VipsImage {
    try CoreImageFilter(filterName: name, parameters: parameters).apply(to: self)
  }
}
