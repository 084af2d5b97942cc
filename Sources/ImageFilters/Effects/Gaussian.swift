import Vips

/// A Gaussian blur, the outermost pixels repeated beyond the edges.
///
/// A wide one is made at half the size, as often as the blur is wide enough that nobody can tell: the shrinking and the
/// enlarging are small blurs themselves, which are taken off what is left to do. The result is within 1 of 255 of the
/// exact one.
struct Gaussian {
  /// The standard deviation in pixels, more than 0.
  let sigma: Double
  let storage: PixelStorage

  /// The variance of [1 3 3 1] / 8, with which libvips halves an image, and of [1 2 1] / 4 over doubled pixels.
  private static let halvingVariance = 0.75
  /// From here on half the size will do. Below it, the pixels of the smaller image would show.
  private static let least = 4.0
  /// Where the kernel ends, in deviations: beyond 3.2 is 0.14 % of the weight, beyond 4 less than 0.01 %.
  var reach = 3.2

  /// - Parameters:
  ///   - image: `uchar`; `ushort` of numbers up to 65,280; or `float`. Its pixels are read several times.
  ///   - format: What comes out: the image's own format unless given. Of `uchar`, `ushort` is 256 times the numbers.
  func applied(to image: VipsImage, as format: BandFormat? = nil) throws(VipsError) -> VipsImage {
    let format = format ?? image.format
    guard sigma >= Self.least else { return try convolved(image, as: format) }
    // Sides become even, and beyond the edges there is a pixel of the edge's colour alone, also at half the size.
    let margin = 4
    let wide = try image.embedded(
      x: margin, y: margin, width: image.width + 2 * margin + image.width % 2,
      height: image.height + 2 * margin + image.height % 2, extend: "copy")
    var half = try wide.applying("reduce", ["hshrink": 2, "vshrink": 2, "kernel": "linear"])
    // The fractions of 8-bit numbers are what tells one pixel from the next in a smooth image.
    if half.format == .uchar { half = try half.linear([256], [0]).cast(to: .ushort) }
    half = try storage.keeping(half)
    let rest = ((sigma * sigma - 2 * Self.halvingVariance) / 4).squareRoot()
    let blurred = try storage.keeping(Gaussian(sigma: rest, storage: storage, reach: reach).applied(to: half))
    let doubled = try VipsOperation("zoom", ["input": .image(blurred), "xfac": 2, "yfac": 2]).image()
    return try Self.smoothed(doubled, as: format)
      .cropped(x: margin, y: margin, width: image.width, height: image.height)
  }

  private static func smoothed(_ image: VipsImage, as format: BandFormat) throws(VipsError) -> VipsImage {
    image.format == .float
      ? try image.convolvedSeparably([0.5, 0.25])
      : try SeparableKernel.triangle.applied(to: image, as: format)
  }

  private func convolved(_ image: VipsImage, as format: BandFormat) throws(VipsError) -> VipsImage {
    let proportions = (0...max(1, Int((sigma * reach).rounded(.up)))).map { distance in
      exponential(-Double(distance * distance) / (2 * sigma * sigma))
    }
    return image.format == .float
      ? try image.convolvedSeparably(proportions)
      : try SeparableKernel(proportions: proportions).applied(to: image, as: format)
  }
}

extension VipsImage {
  /// A symmetric kernel applied along the rows and down the columns, in float.
  /// - Parameter proportions: From the middle outward; they are scaled to a sum of 1.
  func convolvedSeparably(_ proportions: [Double]) throws(VipsError) -> VipsImage {
    let total = proportions.reduce(0, +) * 2 - proportions[0]
    let line = (proportions.dropFirst().reversed() + proportions).map { $0 / total }
    let bytes = line.flatMap { value in withUnsafeBytes(of: value) { Array($0) } }
    let mask = try VipsImage(pixels: bytes, width: line.count, height: 1, bands: 1, format: .double)
    return try applying("convsep", ["mask": .image(mask), "precision": "float"])
  }
}
