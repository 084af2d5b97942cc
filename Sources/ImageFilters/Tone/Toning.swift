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
