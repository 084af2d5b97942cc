import Vips

/// CISepiaTone's tone as measured on Apple's results (docs/alamofireimage.md): each channel is a quadratic function
/// of the luminance, which is summed in linear light and then encoded with the sRGB curve.
enum Sepia {
  /// Quadratic, linear and constant coefficients for red, green and blue.
  private static let curves = [
    (-0.1491, 1.0556, 0.0921), (0.0827, 0.9342, -0.0194), (0.8504, 0.1658, -0.0510),
  ]
  /// The darkest luminance that was measured. Below it the tones fall linearly to black.
  private static let darkest = 0.24

  static func apply(_ pass: FilterPass, intensity: Double) throws -> VipsImage {
    let white = pass.image.maximum
    return try pass.image.mappingColors { colors in
      let luminance = try luminance(of: colors)
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
      let plain = try colors.linear([1 / white], [0])
      return try colors.rounding(plain.blended(with: toned, amount: intensity).linear([white], [0]))
    }
  }

  /// The luminance as one float band from 0 to 1, encoded with the sRGB curve.
  static func luminance(of colors: VipsImage) throws -> VipsImage {
    try colors.converted(to: .linear).weighed(Luma.rec709).tripled()
      .copied(["interpretation": "scrgb"]).converted(to: .rgb16).extractingBands(from: 0, count: 1)
      .linear([1.0 / 65_535], [0]).copied(["interpretation": "b-w"])
  }
}
