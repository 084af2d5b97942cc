import Vips

/// Saturation that affects weak colors more than strong ones.
enum Vibrance {
  static func apply(_ pass: FilterPass, amount: Double) throws -> VipsImage {
    try pass.toning { colors in
      let bands = try (0..<3).map { try colors.extractingBands(from: $0, count: 1) }
      func ranked(_ index: Int) throws -> VipsImage {
        try VipsOperation("bandrank", ["in": .images(bands), "index": .integer(index)]).image()
      }
      let spread = try ranked(2).combined("subtract", with: ranked(0))
      // The full amount for gray, nothing for a pure color.
      let strength = try spread.linear([-amount], [amount])
      let gray = try colors.weighed(Luma.rec709).tripled()
      let difference = try colors.combined("subtract", with: gray)
      return try colors.combined("add", with: difference.combined("multiply", with: strength))
    }
  }
}
