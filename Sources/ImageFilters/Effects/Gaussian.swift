import Vips

/// A Gaussian blur that repeats edge pixels beyond the image.
///
/// A wide blur is computed at half size, recursively, while sigma is large enough to hide it. Shrinking and enlarging
/// blur the image too; their variance is subtracted from the blur that remains. The result is within 1/255 of the
/// exact one.
struct Gaussian {
  /// The standard deviation in pixels, more than 0.
  let sigma: Double
  let storage: PixelStorage

  /// The variance of [1 3 3 1] / 8, with which libvips halves an image, and of [1 2 1] / 4 over doubled pixels.
  private static let halvingVariance = 0.75
  /// The smallest sigma to compute at half size. Below it, the smaller image's pixels would be visible.
  private static let least = 4.0
  /// The kernel's radius in standard deviations. Beyond 3.2 lies 0.14 % of the weight, beyond 4 less than 0.01 %.
  var reach = 3.2

  /// Blurs an image.
  /// - Parameters:
  ///   - image: `uchar`, `ushort` up to 65,280, or `float`. Its pixels are read several times.
  ///   - format: The result's format (default: the image's). From `uchar` to `ushort`, samples are multiplied by 256.
  func applied(to image: VipsImage, as format: BandFormat? = nil) throws(VipsError) -> VipsImage {
    let format = format ?? image.format
    guard sigma >= Self.least else { return try convolved(image, as: format) }
    // Make the sides even, with a margin wide enough to keep a pixel of pure edge color at half size.
    let margin = 4
    let wide = try image.embedded(
      x: margin, y: margin, width: image.width + 2 * margin + image.width % 2,
      height: image.height + 2 * margin + image.height % 2, extend: "copy")
    var half = try wide.applying("reduce", ["hshrink": 2, "vshrink": 2, "kernel": "linear"])
    // Keep the fractions of 8-bit samples: in smooth areas, only they distinguish neighboring pixels.
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
  /// Applies a symmetric kernel along rows and columns, in float (libvips `convsep`).
  /// - Parameter proportions: The weights from the center outward, which are scaled to a sum of 1.
  func convolvedSeparably(_ proportions: [Double]) throws(VipsError) -> VipsImage {
    let total = proportions.reduce(0, +) * 2 - proportions[0]
    let line = (proportions.dropFirst().reversed() + proportions).map { $0 / total }
    let bytes = line.flatMap { value in withUnsafeBytes(of: value) { Array($0) } }
    let mask = try VipsImage(pixels: bytes, width: line.count, height: 1, bands: 1, format: .double)
    return try applying("convsep", ["mask": .image(mask), "precision": "float"])
  }
}
