public import Vips

/// What AlamofireImage's extensions of `UIImage` do, for a libvips picture. Sizes are pixels.
extension VipsImage {
  /// The picture with its pixels decoded and computed now, instead of when they are first shown.
  ///
  ///     let ready = try photograph.inflated()
  public func inflated() throws(FilterError) -> VipsImage {
    do {
      return try materialized()
    } catch {
      throw FilterError(.failed, "the picture can't be decoded: \(error.description)", cause: error)
    }
  }

  /// Whether it has an alpha channel, used or not.
  public var containsAlphaComponent: Bool { hasAlpha }

  /// Whether it has no alpha channel.
  public var isOpaque: Bool { !hasAlpha }

  /// Exactly the size, aspect disregarded: `scale`.
  public func imageScaled(to size: Extent) throws(FilterError) -> VipsImage {
    try ScaledToSizeFilter(size: size).apply(to: self)
  }

  /// Fitted into the size on a transparent canvas, fractions kept: `pad:S:snap=false`.
  public func imageAspectScaled(toFit size: Extent) throws(FilterError) -> VipsImage {
    try AspectScaledToFitSizeFilter(size: size).apply(to: self)
  }

  /// Covers the size, centred, fractions kept: `fill:S:snap=false`.
  public func imageAspectScaled(toFill size: Extent) throws(FilterError) -> VipsImage {
    try AspectScaledToFillSizeFilter(size: size).apply(to: self)
  }

  /// Apple's rounded corners: `rounded:R:style=continuous`.
  public func imageRounded(withCornerRadius radius: Double) throws(FilterError) -> VipsImage {
    try RoundedCornersFilter(radius: radius).apply(to: self)
  }

  /// Cut to the shorter side, then to a disc: `circle`.
  public func imageRoundedIntoCircle() throws(FilterError) -> VipsImage {
    try CircleFilter().apply(to: self)
  }

  /// A Core Image filter by name: `ci:NAME`.
  public func imageFiltered(
    withCoreImageFilter name: String, parameters: [String: String] = [:]
  ) throws(FilterError) -> VipsImage {
    try CoreImageFilter(filterName: name, parameters: parameters).apply(to: self)
  }
}
