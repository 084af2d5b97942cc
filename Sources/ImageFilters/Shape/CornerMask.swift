import Vips

/// Coverage masks of rounded shapes, one band of 8 bits.
enum CornerMask {
  /// A rectangle with rounded corners, in the order top left, top right, bottom right, bottom left.
  static func image(extent: Size, corners: [CornerCurve]) throws -> VipsImage {
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

  /// A disc that fills a square.
  static func disc(side: Int) throws -> VipsImage {
    let curve = CornerCurve.circular(radius: Double(side) / 2)
    // The quarters are mirrored. If the side is odd, they share the middle row and column.
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
