import ImageFilters
import ImageFilters
import Vips

@testable import ImageRendering

/// Four images that show what a filter does: a scene, a chart of colors, a drawing with alpha, a gray ramp.
enum TestImages {
  static func all() throws -> [VipsImage] { [try scene(), try chart(), try badge(), try ramp()] }

  /// Hills under a sky with a sun.
  private static func scene() throws -> VipsImage {
    try drawn(240, 180) { x, y in
      let sun = distance(x, y, 170, 50)
      if sun < 22 { return [255, 236, 170, 255] }
      let ridge = 110 + 18 * cosine(x / 29) + 9 * cosine(x / 11 + 2)
      let meadow = 145 + 10 * cosine(x / 47 + 1)
      if y > meadow {
        let blade = 18 * cosine(x * 1.7 + y * 2.3)
        return [60 + blade, 130 + blade + (180 - y) / 2, 50, 255]
      }
      if y > ridge { return [70 + (y - ridge) / 2, 84 + (y - ridge) / 2, 110, 255] }
      let glow = max(0, 90 - sun) / 2
      return [110 + y / 2 + glow, 160 + y / 3 + glow / 2, 225, 255]
    }
  }

  /// Hues from left to right, from white through color to black.
  private static func chart() throws -> VipsImage {
    try drawn(240, 160) { x, y in
      let hue = x / 240 * 6
      let light = y / 160
      return (0..<3).map { band in
        let distance = abs((hue - Double(band) * 2 + 9).truncatingRemainder(dividingBy: 6) - 3)
        let pure = min(1, max(0, 2 - distance))
        return 255 * (light < 0.5 ? 1 - (1 - pure) * light * 2 : pure * (2 - light * 2))
      } + [255]
    }
  }

  /// A ring and a letter's strokes on nothing, soft at the edges.
  private static func badge() throws -> VipsImage {
    try drawn(180, 180) { x, y in
      let away = distance(x, y, 90, 90)
      let ring = min(1, max(0, 12 - abs(away - 70)))
      let bar = min(1, max(0, 8 - abs(x - 90))) * (abs(y - 90) < 40 ? 1 : 0)
      if ring > 0 { return [200, 40, 70, 255 * ring] }
      return [30, 90, 180, 255 * bar]
    }
  }

  /// Gray from black to white, smooth above, in steps below, with fine lines.
  private static func ramp() throws -> VipsImage {
    try drawn(240, 120) { x, y in
      if y > 100 { return Int(x) % 4 < 2 ? [255, 255, 255, 255] : [0, 0, 0, 255] }
      let value = y < 60 ? x / 239 * 255 : (x / 24).rounded(.down) * 28
      return [value, value, value, 255]
    }
  }

  /// A five-petalled flower for overlays and masks.
  static func stencil() throws -> VipsImage {
    try drawn(60, 60) { x, y in
      let away = distance(x, y, 30, 30)
      let inside = min(1, max(0, 27 - away))
      return [255, 255, away < 12 ? 120 : 255, 255 * inside]
    }
  }

  /// Over the chequers that mean transparency.
  static func onChequers(_ image: VipsImage) throws -> VipsImage {
    let ground = try drawn(image.width, image.height) { x, y in
      (Int(x) / 8 + Int(y) / 8) % 2 == 0 ? [255, 255, 255, 255] : [205, 205, 205, 255]
    }.extractingBands(from: 0, count: 3)
    guard image.hasAlpha else { return image }
    return try VipsOperation(
      "composite2", ["base": .image(ground), "overlay": .image(image), "mode": "over"]
    ).image().extractingBands(from: 0, count: 3).cast(to: .uchar)
  }

  private static func drawn(
    _ width: Int, _ height: Int, _ color: (Double, Double) -> [Double]
  ) throws -> VipsImage {
    var pixels: [UInt8] = []
    pixels.reserveCapacity(width * height * 4)
    for y in 0..<height {
      for x in 0..<width {
        for value in color(Double(x), Double(y)) { pixels.append(UInt8(min(255, max(0, value.rounded())))) }
      }
    }
    let image = try VipsImage(pixels: pixels, width: width, height: height, bands: 4, interpretation: .sRGB)
    let opaque = stride(from: 3, to: pixels.count, by: 4).allSatisfy { pixels[$0] == 255 }
    return opaque ? try image.extractingBands(from: 0, count: 3).materialized() : image
  }

  private static func distance(_ x: Double, _ y: Double, _ middleX: Double, _ middleY: Double) -> Double {
    ((x - middleX) * (x - middleX) + (y - middleY) * (y - middleY)).squareRoot()
  }
}
