import Vips

extension FilterPass {
  /// Does something to the colours as numbers from 0 to 1 in sRGB's curve, and leaves the alpha alone.
  /// - Parameter body: Gets and returns three float bands; what leaves 0 to 1 is clipped.
  func toning(_ body: (VipsImage) throws -> VipsImage) throws -> VipsImage {
    let white = image.maximum
    return try image.mappingColours { colours in
      let result = try body(try colours.linear([1 / white], [0]))
      return try colours.rounding(result.linear([white], [0]))
    }
  }

  /// Does something to the colours as light, and leaves the alpha alone.
  /// - Parameter body: Gets and returns three float bands, 1 for white; what leaves 0 to 1 is clipped.
  func lighting(_ body: (VipsImage) throws -> VipsImage) throws -> VipsImage {
    try image.mappingColours { colours in
      let result = try body(try colours.converted(to: .linear))
      return try colours.rounding(
        result.copied(["interpretation": "scrgb"]).converted(to: colours.interpretation))
    }
  }
}

extension VipsImage {
  /// A 3 by 3 matrix over three bands, row by row.
  func recombined(_ rows: [[Double]]) throws -> VipsImage {
    let bytes = rows.flatMap { $0 }.flatMap { value in withUnsafeBytes(of: value) { Array($0) } }
    let matrix = try VipsImage(
      pixels: bytes, width: rows[0].count, height: rows.count, bands: 1, format: .double)
    return try applying("recomb", ["m": .image(matrix)])
  }

  /// One band: the three weighed.
  func weighed(_ weights: [Double]) throws -> VipsImage { try recombined([weights]) }

  /// One band three times.
  func tripled() throws -> VipsImage { try joiningBands([self, self]) }

  /// `other` where it counts wholly (1), this picture where it doesn't (0).
  func blended(with other: VipsImage, amount: Double) throws -> VipsImage {
    if amount == 1 { return other }
    if amount == 0 { return self }
    return try linear([1 - amount], [0]).combined("add", with: other.linear([amount], [0]))
  }
}

/// How much each of sRGB's primaries counts.
enum Luma {
  /// Rec. ITU-R BT.709, for light.
  static let rec709 = [0.2126, 0.7152, 0.0722]
}

/// Matrices over sRGB's numbers that colour filters share.
enum ColourMatrix {
  /// Each colour nearer to its gray, or further from it. 1 is the identity.
  static func saturation(_ factor: Double) -> [[Double]] {
    (0..<3).map { row in
      (0..<3).map { Luma.rec709[$0] * (1 - factor) + (row == $0 ? factor : 0) }
    }
  }

  /// A turn about the gray axis that keeps the luma (W3C Filter Effects 1, `hueRotate`).
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
  /// Every number to a power; below 0 counts as 0.
  func raised(to exponent: Double) throws -> VipsImage {
    if exponent == 1 { return self }
    return try applying("math2_const", ["math2": "pow", "c": .doubles([exponent])])
  }

  /// Numbers from 0 to 1 on so many levels, the outermost of which are 0 and 1.
  func posterized(levels: Double) throws -> VipsImage {
    // Each level has an equal part of the range, white's last point belonging to the last one.
    let steps = try linear([levels], [-1e-4]).applying("round", ["round": "floor"])
    return try steps.clamped(0, levels - 1).linear([1 / (levels - 1)], [0])
  }

  /// Numbers held inside a range.
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

extension Colour {
  /// Red, green and blue from 0 to 1.
  var fractions: [Double] { [Double(red) / 255, Double(green) / 255, Double(blue) / 255] }
}
