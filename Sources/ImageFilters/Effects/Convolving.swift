import Vips

extension VipsImage {
  /// The middle number of each square, the outermost pixels repeated beyond the edge.
  func medianFiltered(size: Int) throws -> VipsImage {
    let margin = size / 2
    let wide = try embedded(
      x: margin, y: margin, width: width + 2 * margin, height: height + 2 * margin, extend: "copy")
    return try wide.applying(
      "rank", ["width": .integer(size), "height": .integer(size), "index": .integer(size * size / 2)]
    ).cropped(x: margin, y: margin, width: width, height: height)
  }

  /// Details of the lightness stronger: the same is added to all three colours of a pixel.
  /// - Parameters:
  ///   - sigma: How fine the details are.
  ///   - amount: How much of them is added.
  ///   - pass: The filter that does it; the numbers are its image's colors from 0 to 1.
  func sharpenedLuma(sigma: Double, amount: Double, _ pass: FilterPass) throws -> VipsImage {
    let luma = try weighed(Luma.rec709)
    let soft = try Blur(radius: sigma, edge: "clamp", linear: false, storage: pass.context.storage)
      .fractional(luma, white: 1, isDeep: pass.image.format == .ushort)
    let detail = try luma.combined("subtract", with: soft).linear([amount], [0])
    return try combined("add", with: detail.tripled())
  }

  /// The length of Sobel's gradient of each band.
  func sobelEdges(intensity: Double) throws -> VipsImage {
    let rows: [Double] = [-1, 0, 1, -2, 0, 2, -1, 0, 1]
    let columns: [Double] = [-1, -2, -1, 0, 0, 0, 1, 2, 1]
    let across = try convolved(rows)
    let down = try convolved(columns)
    let squares = try across.combined("multiply", with: across)
      .combined("add", with: down.combined("multiply", with: down))
    return try squares.raised(to: 0.5).linear([intensity / 4], [0])
  }

  /// A 3 by 3 mask, row by row.
  func convolved(_ weights: [Double]) throws -> VipsImage {
    let bytes = weights.flatMap { value in withUnsafeBytes(of: value) { Array($0) } }
    let mask = try VipsImage(pixels: bytes, width: 3, height: 3, bands: 1, format: .double)
    return try applying("conv", ["mask": .image(mask), "precision": "float"])
  }

  /// The last band taken from `original`, where that band is an alpha.
  func keepingAlpha(of original: VipsImage, _ hasAlpha: Bool) throws -> VipsImage {
    guard hasAlpha else { return self }
    return try extractingBands(from: 0, count: bands - 1)
      .joiningBands([original.extractingBands(from: bands - 1, count: 1)])
      .copied(["interpretation": .nick(original.interpretation.rawValue)])
  }
}
