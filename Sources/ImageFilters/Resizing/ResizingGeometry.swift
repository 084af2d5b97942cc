/// The arithmetic of the resizing filters: sizes before and after, without a pixel.
enum ResizingGeometry {
  /// `fit` and `limit`: the factor with which a picture is as large as fits inside the size.
  static func fittingFactor(_ size: PixelSize, _ extent: Extent) -> Double {
    let (width, height) = size.resolved(for: extent)
    return min(width / Double(extent.width), height / Double(extent.height))
  }

  /// `fill`: the factor with which a picture just covers the size.
  static func coveringFactor(_ size: PixelSize, _ extent: Extent) -> Double {
    let (width, height) = size.resolved(for: extent)
    return max(width / Double(extent.width), height / Double(extent.height))
  }

  /// A picture times a factor, in whole pixels.
  static func scaled(_ extent: Extent, by factor: Double) throws(FilterError) -> Extent {
    try checked(Double(extent.width) * factor, Double(extent.height) * factor)
  }

  /// Whole pixels that a picture can have.
  static func checked(_ width: Double, _ height: Double) throws(FilterError) -> Extent {
    let extent = Extent(rounding: min(width, 1e7), min(height, 1e7))
    guard PixelSize.sides.contains(extent.width), PixelSize.sides.contains(extent.height) else {
      throw FilterError(
        .failed,
        "the result would be \(extent.width)x\(extent.height); no side may be longer than 65535 pixels")
    }
    return extent
  }
}
