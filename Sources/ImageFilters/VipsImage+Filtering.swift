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

  /// Whether the image has an alpha band, even if every pixel is opaque.
  public var containsAlphaComponent: Bool { hasAlpha }

  /// Whether the image has no alpha band. An image with one isn't opaque, even if every pixel is.
  public var isOpaque: Bool { !hasAlpha }

  /// Scales to exactly the size, ignoring the aspect ratio: `scale`.
  /// - Parameter size: The new size in pixels, each side 1 to 65535.
  /// - Returns: An sRGB image of that size, with alpha if this image has it.
  /// - Throws: `FilterError`: `bad-argument` if a side is out of range; `filter-failed` if libvips fails.
  public func imageScaled(to size: Size) throws(FilterError) -> VipsImage {
    try ScaledToSizeFilter(size: size).apply(to: self)
  }

  /// Fits the image into the size on a transparent canvas, at subpixel positions: `pad:S:snap=false`.
  /// - Parameter size: The canvas size in pixels, each side 1 to 65535.
  /// - Returns: An sRGB image of that size, with alpha.
  /// - Throws: `FilterError`: `bad-argument` if a side is out of range; `filter-failed` if libvips fails.
  public func imageAspectScaled(toFit size: Size) throws(FilterError) -> VipsImage {
    try AspectScaledToFitSizeFilter(size: size).apply(to: self)
  }

  /// Scales to cover the size and crops around the center, at subpixel positions: `fill:S:snap=false`.
  /// - Parameter size: The new size in pixels, each side 1 to 65535.
  /// - Returns: An sRGB image of that size, with alpha if this image has it.
  /// - Throws: `FilterError`: `bad-argument` if a side is out of range; `filter-failed` if libvips fails.
  public func imageAspectScaled(toFill size: Size) throws(FilterError) -> VipsImage {
    try AspectScaledToFillSizeFilter(size: size).apply(to: self)
  }

  /// Rounds the corners with Apple's continuous curve: `rounded:R:style=continuous`.
  /// - Parameter radius: The corners' radius in pixels, 0 to 65535; at most half of the shorter side is used.
  /// - Returns: An sRGB image of the same size, with alpha.
  /// - Throws: `FilterError`: `bad-argument` if the radius is out of range; `filter-failed` if libvips fails.
  public func imageRounded(withCornerRadius radius: Double) throws(FilterError) -> VipsImage {
    try RoundedCornersFilter(radius: radius).apply(to: self)
  }

  /// Crops to the center square, then to a circle: `circle`.
  /// - Returns: A square sRGB image with alpha. Its side is this image's shorter side.
  /// - Throws: `FilterError` with code `filter-failed` if libvips fails.
  public func imageRoundedIntoCircle() throws(FilterError) -> VipsImage {
    try CircleFilter().apply(to: self)
  }

  /// Applies a Core Image filter by name: `ci:NAME`.
  /// - Parameters:
  ///   - name: Core Image's name for the filter, such as `CISepiaTone`.
  ///   - parameters: Values in the chain grammar's notation, by Core Image's keys. Default: none.
  /// - Returns: An sRGB image; blurs and some others enlarge it or add alpha.
  /// - Throws: `FilterError`: `unknown-filter` if the filter isn't supported; `bad-argument` if it doesn't
  ///   have one of the parameters, or a value is invalid; `filter-failed` if libvips fails.
  public func imageFiltered(
    withCoreImageFilter name: String, parameters: [String: String] = [:]
  ) throws(FilterError) -> VipsImage {
    try CoreImageFilter(filterName: name, parameters: parameters).apply(to: self)
  }
}
