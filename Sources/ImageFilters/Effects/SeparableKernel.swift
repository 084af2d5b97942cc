import Vips

/// A symmetric kernel that is applied down the columns and then along the rows.
///
/// libvips has two convolutions. Its float one takes five times as long as its integer one; the integer one of libvips 8.14
/// cuts off fractions of whole numbers, which darkens an image by up to 5 of 255. This one computes 8-bit results in 16-bit
/// fixed point, where a result differs from the exact one by less than 0.2 before it is rounded, and 16-bit results in
/// floating point.
struct SeparableKernel: Sendable {
  /// From the middle outward, in 1/65536. The middle and twice the others make 65,536.
  let weights: [UInt16]

  /// Pixels on each side of the middle.
  var radius: Int { weights.count - 1 }

  /// [1 2 1] / 4.
  static let triangle = SeparableKernel(weights: [32_768, 16_384])

  /// A kernel of these weights.
  /// - Parameter weights: From the middle outward, the middle less than the whole.
  init(weights: [UInt16]) { self.weights = weights }

  /// Weights whose sums from either end are right to 1/131072: what an edge becomes depends on the sums.
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
    // All the weight in the middle is one too many for 16 bits, which nobody sees.
    weights[0] = UInt16(min(65_535, 65_536 - 2 * given))
    self.weights = weights
  }

  /// The image convolved, its outermost pixels repeated beyond the edges.
  /// - Parameters:
  ///   - image: 8 bits, or 16 bits up to 65,280.
  ///   - format: `uchar` or `ushort`. 16 bits are 256 times the 8 bits that they stand for.
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
