import Vips

/// The coverage of a rectangle with rounded corners, one band of 8 bits.
enum CornerMask {
  /// The corners in the order top left, top right, bottom right, bottom left.
  static func image(extent: Extent, corners: [CornerCurve]) throws -> VipsImage {
    var mask = try VipsImage.plain([255], width: extent.width, height: extent.height, interpretation: .gray)
    for (index, curve) in corners.enumerated() where curve.reach > 0 {
      let side = min(Int(curve.reach.rounded(.up)), max(extent.width, extent.height))
      var piece = try VipsImage(
        pixels: curve.coverage(side: side), width: side, height: side, bands: 1, interpretation: .gray)
      let isRight = index == 1 || index == 2
      let isBottom = index >= 2
      if isRight { piece = try piece.applying("flip", ["direction": "horizontal"]) }
      if isBottom { piece = try piece.applying("flip", ["direction": "vertical"]) }
      let width = min(side, extent.width)
      let height = min(side, extent.height)
      piece = try piece.cropped(
        x: isRight ? side - width : 0, y: isBottom ? side - height : 0, width: width, height: height)
      mask = try VipsOperation(
        "insert",
        [
          "main": .image(mask), "sub": .image(piece), "x": .integer(isRight ? extent.width - width : 0),
          "y": .integer(isBottom ? extent.height - height : 0),
        ]
      ).image()
    }
    return mask
  }

  /// A disc as wide as the square.
  static func disc(side: Int) throws -> VipsImage {
    let curve = CornerCurve.circular(radius: Double(side) / 2)
    // Each quarter has half of the pixels, and the middle row and column of an odd side belong to two.
    let quarter = Int((Double(side) / 2).rounded(.up))
    let corner = curve.coverage(side: quarter)
    var bytes = [UInt8](repeating: 0, count: side * side)
    for row in 0..<side {
      let sourceRow = min(row, side - 1 - row)
      for column in 0..<side {
        bytes[row * side + column] = corner[sourceRow * quarter + min(column, side - 1 - column)]
      }
    }
    return try VipsImage(pixels: bytes, width: side, height: side, bands: 1, interpretation: .gray)
  }
}
