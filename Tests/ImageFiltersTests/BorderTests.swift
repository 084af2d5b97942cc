import Testing
import Vips

@testable import ImageFilters

@Suite("Borders", .timeLimit(.minutes(8)))
struct BorderTests {
  @Test("an opaque image has a frame of exactly the width, and keeps the rest", arguments: [1, 3, 9, 40])
  func frame(width: Int) throws {
    for bands in [1, 3] {
      let raster = Raster.noise(31, 19, bands: bands, seed: 71)
      let result = try applied("border:\(width):red", to: raster)
      let base = try applied("flip,flip", to: raster)
      let red = [255.0, 0, 0]
      let expected = Raster(width: 31, height: 19, bands: 3) { x, y, band in
        let isInside = x >= width && y >= width && x < 31 - width && y < 19 - width
        return isInside ? base[x, y, bands == 1 ? 0 : band] : red[band]
      }
      #expect(result.distance(to: expected) == 0, "\(bands) bands")
    }
  }

  @Test("a circle's border is a ring: the alpha stays, and the line's inner edge is smooth")
  func ring() throws {
    let (side, width) = (61, 6)
    let raster = Raster(width: side, height: side, bands: 3) { _, _, _ in 0 }
    let plain = try applied("circle", to: raster)
    let result = try applied("circle,border:\(width):white", to: raster)
    let radius = Double(side) / 2
    var worst = 0.0
    for y in 0..<side {
      for x in 0..<side {
        #expect(result[x, y, 3] == plain[x, y, 3])
        guard plain[x, y, 3] > 0 else { continue }
        let (dx, dy) = (Double(x) + 0.5 - radius, Double(y) + 0.5 - radius)
        let depth = radius - (dx * dx + dy * dy).squareRoot()
        let expected = min(1, max(0, Double(width) - depth + 0.5)) * 255
        worst = max(worst, abs(result[x, y, 0] - expected))
      }
    }
    // Half a pixel, for an edge that is known only by how much it covers.
    #expect(worst <= 128, "\(worst)")
  }

  @Test("a hole has a border too, and a translucent inside is no edge")
  func hole() throws {
    let raster = Raster(width: 40, height: 40, bands: 4) { x, y, band in
      if band < 3 { return 100 }
      return (15..<25).contains(x) && (15..<25).contains(y) ? 0 : x < 8 ? 128 : 255
    }
    let result = try applied("border:2:black", to: raster)
    for (x, y, color) in [
      (0, 20, 0.0), (1, 20, 0), (2, 20, 100), (7, 20, 100), (8, 20, 100), (13, 20, 0), (14, 20, 0),
      (12, 20, 100), (20, 14, 0), (20, 39, 0), (20, 37, 100),
    ] {
      #expect(result[x, y, 0] == color, "\(x), \(y)")
    }
  }

  @Test("a translucent line lets the image through")
  func translucent() throws {
    let raster = Raster(width: 9, height: 9, bands: 3) { _, _, _ in 200 }
    let result = try applied("border:1:#00000080", to: raster)
    #expect(abs(result[0, 0, 0] - 200 * (1 - 128 / 255.0)) <= 1 && result[4, 4, 0] == 200)
  }

  @Test("distances are those to the nearest edge, whatever the shape")
  func distances() {
    var alpha = [UInt8](repeating: 255, count: 23 * 17)
    let holes = [(3, 4), (11, 9), (12, 9), (20, 2)]
    for (x, y) in holes { alpha[y * 23 + x] = 0 }
    let found = EdgeDistance(alpha: alpha, width: 23)
    for y in 0..<17 {
      for (x, distance) in found.row(y).enumerated() {
        let edges = [(x + 1, 0), (23 - x, 0), (0, y + 1), (0, 17 - y)] + holes.map { ($0.0 - x, $0.1 - y) }
        let nearest = edges.map { Double($0.0 * $0.0 + $0.1 * $0.1).squareRoot() }.min() ?? 0
        #expect(abs(distance - (nearest - 0.5)) < 1e-9, "\(x), \(y)")
      }
    }
  }

  @Test("an overlay's size is relative to the image's width, as if it were scaled by hand")
  func overlay() throws {
    let base = Raster.noise(80, 50, seed: 72)
    let layer = Raster.noise(16, 8, seed: 73)
    let context = FilterContext { (_: String) throws(FilterError) -> VipsImage in
      do { return try layer.image() } catch { throw FilterError(.failed, "\(error)") }
    }
    for (size, scale) in [("10%", "0.5"), ("20%", "1"), ("50%", "2.5")] {
      let result = try applied("overlay:x:southeast:2:3:size=\(size)", to: base, context: context)
      let expected = try applied("overlay:x:southeast:2:3:scale=\(scale)", to: base, context: context)
      #expect(result.distance(to: expected) == 0, "\(size)")
    }
  }
}
