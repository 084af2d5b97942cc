import Vips

extension VipsImage {
  /// The median of the square around each pixel. Edge pixels are repeated beyond the image.
  func medianFiltered(size: Int) throws -> VipsImage {
    let margin = size / 2
    let wide = try embedded(
      x: margin, y: margin, width: width + 2 * margin, height: height + 2 * margin, extend: "copy")
    return try wide.applying(
      "rank", ["width": .integer(size), "height": .integer(size), "index": .integer(size * size / 2)]
    ).cropped(x: margin, y: margin, width: width, height: height)
  }

  /// Sharpens the luma by adding its detail equally to all three channels.
  /// - Parameters:
  ///   - sigma: The standard deviation, in pixels, of the blur that separates the detail.
  ///   - amount: The factor of the detail that is added.
  ///   - pass: The running filter. The samples are its image's colors from 0 to 1.
  func sharpenedLuma(sigma: Double, amount: Double, _ pass: FilterPass) throws -> VipsImage {
    let luma = try weighed(Luma.rec709)
    let soft = try Blur(radius: sigma, edge: "clamp", linear: false, storage: pass.context.storage)
      .fractional(luma, white: 1, isDeep: pass.image.format == .ushort)
    let detail = try luma.combined("subtract", with: soft).linear([amount], [0])
    return try combined("add", with: detail.tripled())
  }

  /// The magnitude of the Sobel gradient of each band.
  func sobelEdges(intensity: Double) throws -> VipsImage {
    let rows: [Double] = [-1, 0, 1, -2, 0, 2, -1, 0, 1]
    let columns: [Double] = [-1, -2, -1, 0, 0, 0, 1, 2, 1]
    let across = try convolved(rows)
    let down = try convolved(columns)
    let squares = try across.combined("multiply", with: across)
      .combined("add", with: down.combined("multiply", with: down))
    return try squares.raised(to: 0.5).linear([intensity / 4], [0])
  }

  /// Convolves with a 3 by 3 mask, given row by row.
  func convolved(_ weights: [Double]) throws -> VipsImage {
    let bytes = weights.flatMap { value in withUnsafeBytes(of: value) { Array($0) } }
    let mask = try VipsImage(pixels: bytes, width: 3, height: 3, bands: 1, format: .double)
    return try applying("conv", ["mask": .image(mask), "precision": "float"])
  }

  /// Replaces the last band by that of `original` if it is alpha.
  func keepingAlpha(of original: VipsImage, _ hasAlpha: Bool) throws -> VipsImage {
    guard hasAlpha else { return self }
    return try extractingBands(from: 0, count: bands - 1)
      .joiningBands([original.extractingBands(from: bands - 1, count: 1)])
      .copied(["interpretation": .nick(original.interpretation.rawValue)])
  }
}
