import Vips

/// The black and white effects of Core Image.
enum PhotoEffect {
  static func gray(_ pass: FilterPass, contrast: Double, lift: Double) throws -> VipsImage {
    try pass.toning {
      try $0.weighed(Luma.rec709).tripled().linear([contrast], [0.5 - 0.5 * contrast + lift])
    }
  }

  /// Gray from one of a pixel's three channels by rank, from the smallest (0) to the largest (2).
  static func ranked(_ pass: FilterPass, index: Int) throws -> VipsImage {
    try pass.image.mappingColors { colors in
      let bands = try (0..<3).map { try colors.extractingBands(from: $0, count: 1) }
      return try colors.rounding(
        VipsOperation("bandrank", ["in": .images(bands), "index": .integer(index)]).image().tripled())
    }
  }
}
