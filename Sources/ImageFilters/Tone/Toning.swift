import Vips

extension FilterPass {
  /// Maps the colors as sRGB values from 0 to 1 and leaves alpha unchanged.
  /// - Parameter body: Takes and returns three float bands. Values outside 0 to 1 are clipped.
  func toning(_ body: (VipsImage) throws -> VipsImage) throws -> VipsImage {
    let white = image.maximum
    return try image.mappingColors { colors in
      let result = try body(try colors.linear([1 / white], [0]))
      return try colors.rounding(result.linear([white], [0]))
    }
  }

  /// Maps the colors in linear light and leaves alpha unchanged.
  /// - Parameter body: Takes and returns three float bands, where 1 is white. Values outside 0 to 1 are clipped.
  func lighting(_ body: (VipsImage) throws -> VipsImage) throws -> VipsImage {
    try image.mappingColors { colors in
      let result = try body(try colors.converted(to: .linear))
      return try colors.rounding(
        result.copied(["interpretation": "scrgb"]).converted(to: colors.interpretation))
    }
  }
}

extension VipsImage {
  /// Multiplies each pixel's bands by a matrix, given row by row (libvips `recomb`).
  func recombined(_ rows: [[Double]]) throws -> VipsImage {
    let bytes = rows.flatMap { $0 }.flatMap { value in withUnsafeBytes(of: value) { Array($0) } }
    let matrix = try VipsImage(
      pixels: bytes, width: rows[0].count, height: rows.count, bands: 1, format: .double)
    return try applying("recomb", ["m": .image(matrix)])
  }

  /// The weighted sum of the bands, as one band.
  func weighed(_ weights: [Double]) throws -> VipsImage { try recombined([weights]) }

  /// One band repeated three times.
  func tripled() throws -> VipsImage { try joiningBands([self, self]) }

  /// Interpolates between this image (0) and `other` (1).
  func blended(with other: VipsImage, amount: Double) throws -> VipsImage {
    if amount == 1 { return other }
    if amount == 0 { return self }
    return try linear([1 - amount], [0]).combined("add", with: other.linear([amount], [0]))
  }
}

/// The weights of the sRGB primaries in luma and luminance.
enum Luma {
  /// Rec. ITU-R BT.709; for luminance, applied to linear light.
  static let rec709 = [0.2126, 0.7152, 0.0722]
}

/// Matrices over sRGB values that color filters share.
enum ColorMatrix {
  /// Moves each color towards its gray (below 1) or away from it (above 1). 1 is the identity.
  static func saturation(_ factor: Double) -> [[Double]] {
    (0..<3).map { row in
      (0..<3).map { Luma.rec709[$0] * (1 - factor) + (row == $0 ? factor : 0) }
    }
  }

  /// Rotates about the gray axis, preserving luma (W3C Filter Effects 1, `hueRotate`).
  static func hueRotation(degrees: Double) -> [[Double]] {
    let angle = degrees * .pi / 180
    let (c, s) = (cosine(angle), sine(angle))
    return [
      [0.213 + c * 0.787 - s * 0.213, 0.715 - c * 0.715 - s * 0.715, 0.072 - c * 0.072 + s * 0.928],
      [0.213 - c * 0.213 + s * 0.143, 0.715 + c * 0.285 + s * 0.140, 0.072 - c * 0.072 - s * 0.283],
      [0.213 - c * 0.213 - s * 0.787, 0.715 - c * 0.715 + s * 0.715, 0.072 + c * 0.928 + s * 0.072],
    ]
  }
}

extension VipsImage {
  /// Raises every sample to a power; negative samples count as 0.
  func raised(to exponent: Double) throws -> VipsImage {
    if exponent == 1 { return self }
    return try applying("math2_const", ["math2": "pow", "c": .doubles([exponent])])
  }

  /// Quantizes samples from 0 to 1 to evenly spaced levels, including 0 and 1.
  func posterized(levels: Double) throws -> VipsImage {
    // Each level covers an equal part of the range. The small offset keeps a sample of 1 in the last part.
    let steps = try linear([levels], [-1e-4]).applying("round", ["round": "floor"])
    return try steps.clamped(0, levels - 1).linear([1 / (levels - 1)], [0])
  }

  /// Clamps every sample to a range.
  func clamped(_ low: Double, _ high: Double) throws -> VipsImage {
    let above = try VipsOperation(
      "ifthenelse",
      [
        "cond": .image(applying("relational_const", ["relational": "more", "c": .doubles([high])])),
        "in1": .image(linear([0], [high])), "in2": .image(self),
      ]
    ).image()
    return try VipsOperation(
      "ifthenelse",
      [
        "cond": .image(above.applying("relational_const", ["relational": "less", "c": .doubles([low])])),
        "in1": .image(above.linear([0], [low])), "in2": .image(above),
      ]
    ).image()
  }
}

extension Color {
  /// Red, green and blue from 0 to 1.
  var fractions: [Double] { [Double(red) / 255, Double(green) / 255, Double(blue) / 255] }
}
