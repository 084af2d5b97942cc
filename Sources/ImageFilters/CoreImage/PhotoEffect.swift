import Vips

/// Black and white in several tempers.
enum PhotoEffect {
  static func gray(_ pass: FilterPass, contrast: Double, lift: Double) throws -> VipsImage {
    try pass.toning {
      try $0.weighed(Luma.rec709).tripled().linear([contrast], [0.5 - 0.5 * contrast + lift])
    }
  }

  /// Gray of one of a pixel's three colours: the smallest (0) to the largest (2).
  static func ranked(_ pass: FilterPass, index: Int) throws -> VipsImage {
    try pass.image.mappingColours { colours in
      let bands = try (0..<3).map { try colours.extractingBands(from: $0, count: 1) }
      return try colours.rounding(
        VipsOperation("bandrank", ["in": .images(bands), "index": .integer(index)]).image().tripled())
    }
  }
}
