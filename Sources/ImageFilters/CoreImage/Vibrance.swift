import Vips

/// Saturation that grows where there is little of it.
enum Vibrance {
  static func apply(_ pass: FilterPass, amount: Double) throws -> VipsImage {
    try pass.toning { colours in
      let bands = try (0..<3).map { try colours.extractingBands(from: $0, count: 1) }
      func ranked(_ index: Int) throws -> VipsImage {
        try VipsOperation("bandrank", ["in": .images(bands), "index": .integer(index)]).image()
      }
      let spread = try ranked(2).combined("subtract", with: ranked(0))
      // All of the amount for gray, none for a pure colour.
      let strength = try spread.linear([-amount], [amount])
      let gray = try colours.weighed(Luma.rec709).tripled()
      let difference = try colours.combined("subtract", with: gray)
      return try colours.combined("add", with: difference.combined("multiply", with: strength))
    }
  }
}
