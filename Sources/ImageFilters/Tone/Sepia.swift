import Vips

/// The tone of CISepiaTone as it was measured on Apple's pictures (docs/alamofireimage.md): each colour is a
/// quadratic function of the luminance in sRGB's curve, which itself is added up as light.
enum Sepia {
  /// Quadratic, linear and constant factors for red, green and blue.
  private static let curves = [
    (-0.1491, 1.0556, 0.0921), (0.0827, 0.9342, -0.0194), (0.8504, 0.1658, -0.0510),
  ]
  /// The darkest luminance that was measured. Below it the tones go straight down to black.
  private static let darkest = 0.24

  static func apply(_ pass: FilterPass, intensity: Double) throws -> VipsImage {
    let white = pass.image.maximum
    return try pass.image.mappingColours { colours in
      let luminance = try luminance(of: colours)
      let bands = try curves.map { curve in
        let (square, slope, constant) = curve
        let bright = try luminance.linear([square], [slope]).combined("multiply", with: luminance)
          .linear([1], [constant])
        let end = (square * darkest + slope) * darkest + constant
        return try VipsOperation(
          "ifthenelse",
          [
            "cond": .image(
              luminance.applying("relational_const", ["relational": "less", "c": .doubles([darkest])])),
            "in1": .image(luminance.linear([end / darkest], [0])), "in2": .image(bright),
          ]
        ).image()
      }
      let toned = try bands[0].joiningBands([bands[1], bands[2]])
      let plain = try colours.linear([1 / white], [0])
      return try colours.rounding(plain.blended(with: toned, amount: intensity).linear([white], [0]))
    }
  }

  /// One float band, 0 to 1 in sRGB's curve.
  static func luminance(of colours: VipsImage) throws -> VipsImage {
    try colours.converted(to: .linear).weighed(Luma.rec709).tripled()
      .copied(["interpretation": "scrgb"]).converted(to: .rgb16).extractingBands(from: 0, count: 1)
      .linear([1.0 / 65_535], [0]).copied(["interpretation": "b-w"])
  }
}
