/// The arithmetic of the resizing filters on sizes, without pixels.
enum ResizingGeometry {
  /// `fit` and `limit`: the largest factor with which the image fits inside the size.
  static func fittingFactor(_ size: SizeSpecification, _ extent: Size) -> Double {
    let (width, height) = size.resolved(for: extent)
    return min(width / Double(extent.width), height / Double(extent.height))
  }

  /// `fill`: the smallest factor with which the image covers the size.
  static func coveringFactor(_ size: SizeSpecification, _ extent: Size) -> Double {
    let (width, height) = size.resolved(for: extent)
    return max(width / Double(extent.width), height / Double(extent.height))
  }

  /// The extent times a factor, in whole pixels. Throws `FilterError` if a side exceeds 65535.
  static func scaled(_ extent: Size, by factor: Double) throws(FilterError) -> Size {
    try checked(Double(extent.width) * factor, Double(extent.height) * factor)
  }

  /// Rounds a size to whole pixels. Throws `FilterError` if a side exceeds 65535.
  static func checked(_ width: Double, _ height: Double) throws(FilterError) -> Size {
    let extent = Size(rounding: min(width, 1e7), min(height, 1e7))
    guard SizeSpecification.sides.contains(extent.width), SizeSpecification.sides.contains(extent.height)
    else {
      throw FilterError(
        .failed,
        "the result would be \(extent.width)x\(extent.height); the limit is 65535 pixels per side")
    }
    return extent
  }
}
