import Vips

/// A symmetric kernel that is applied to columns, then to rows.
///
/// libvips has a float and an integer convolution. The float one takes five times as long. The integer one of libvips
/// 8.14 truncates, which darkens an image by up to 5/255. This one computes 8-bit results in 16-bit fixed point, within
/// 0.2 of the exact result before rounding, and 16-bit results in floating point.
struct SeparableKernel: Sendable {
  /// The weights from the center outward, in 1/65536. The center and twice the others add up to 65,536.
  let weights: [UInt16]

  /// The pixels on each side of the center.
  var radius: Int { weights.count - 1 }

  /// [1 2 1] / 4.
  static let triangle = SeparableKernel(weights: [32_768, 16_384])

  /// - Parameter weights: The weights from the center outward, in 1/65536.
  init(weights: [UInt16]) { self.weights = weights }

  /// Rounds the running sum from the end instead of each weight, so that every partial sum is exact to 1/131072.
  /// Partial sums are the pixels of a blurred edge.
  init(proportions: [Double]) {
    let total = proportions.reduce(0, +) * 2 - proportions[0]
    var weights = [UInt16](repeating: 0, count: proportions.count)
    var (exact, given) = (0.0, 0)
    for index in proportions.indices.dropFirst().reversed() {
      exact += proportions[index] / total * 65_536
      let weight = Int(exact.rounded()) - given
      weights[index] = UInt16(weight)
      given += weight
    }
    // If the center has all the weight, 65,536 doesn't fit 16 bits; the error of 1/65536 is invisible.
    weights[0] = UInt16(min(65_535, 65_536 - 2 * given))
    self.weights = weights
  }

  /// Convolves an image, repeating edge pixels beyond it.
  /// - Parameters:
  ///   - image: `uchar`, or `ushort` up to 65,280.
  ///   - format: The result's format, `uchar` or `ushort`. A `ushort` sample is 256 times the `uchar` sample.
  func applied(to image: VipsImage, as format: BandFormat) throws(VipsError) -> VipsImage {
    let wide = try image.embedded(
      x: radius, y: radius, width: image.width + 2 * radius, height: image.height + 2 * radius, extend: "copy"
    )
    let bands = image.bands
    switch (image.format, format) {
    case (.ushort, .ushort):
      let all = weights.dropFirst().reversed() + weights
      let pass = FloatPass(weights: all.map { Float($0) / 65_536 }, bands: bands)
      return try wide.computing(margin: radius, pass.run)
    case (let source, _):
      let pass = FixedPass(self, bands: bands, isWide: source == .ushort)
      return try wide.computing(
        margin: radius, format: format, format == .ushort ? pass.runKeepingFractions : pass.run)
    }
  }
}
