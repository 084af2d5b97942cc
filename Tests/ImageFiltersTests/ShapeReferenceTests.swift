import Testing
import Vips

@testable import ImageFilters

/// Shapes against counting points of a fine grid.
@Suite("Shapes and their definitions", .timeLimit(.minutes(8)))
struct ShapeReferenceTests {
  /// How much of a pixel lies inside, from 0 to 255.
  private static func coverage(_ x: Int, _ y: Int, _ isInside: (Double, Double) -> Bool) -> Double {
    let fine = 20
    var count = 0
    for row in 0..<fine {
      for column in 0..<fine {
        let point = (
          Double(x) + (Double(column) + 0.5) / Double(fine), Double(y) + (Double(row) + 0.5) / Double(fine)
        )
        if isInside(point.0, point.1) { count += 1 }
      }
    }
    return Double(count) * 255 / Double(fine * fine)
  }

  @Test("a circle covers what lies inside of it", arguments: [2, 5, 8, 15, 40])
  func circle(side: Int) throws {
    for bands in [3, 4] {
      let raster = Raster.noise(side, side, bands: bands, seed: 61)
      let result = try applied("circle", to: raster)
      let radius = Double(side) / 2
      let expected = Raster(width: side, height: side, bands: 4) { x, y, band in
        guard band == 3 else { return raster[x, y, band] }
        let inside = Self.coverage(x, y) {
          ($0 - radius) * ($0 - radius) + ($1 - radius) * ($1 - radius) <= radius * radius
        }
        return inside * (bands == 4 ? raster[x, y, 3] / 255 : 1)
      }
      let worst =
        zip(result.values, expected.values).enumerated().map { index, pair in
          index % 4 == 3 ? abs(pair.0 - pair.1) : 0
        }.max() ?? 0
      #expect(worst <= 9, "\(bands) bands: \(worst)")
      #expect(result.distance(to: expected) <= 9)
    }
  }

  @Test("a circle of a wide image is that of its middle square")
  func middle() throws {
    let raster = Raster.noise(30, 20, seed: 62)
    let result = try applied("circle", to: raster)
    let expected = try applied("crop:20x20,circle", to: raster)
    #expect(result.distance(to: expected) <= 1)
  }

  @Test("a corner of a circle covers what lies inside of it, each corner by its own radius")
  func circular() throws {
    let (width, height) = (36, 28)
    let raster = Raster.noise(width, height, seed: 63)
    for (text, radii) in [
      ("8", [8.0, 8, 8, 8]), ("0", [0, 0, 0, 0]), ("100", [14, 14, 14, 14]), ("25%", [7, 7, 7, 7]),
      ("tl=10", [10, 0, 0, 0]), ("tr=6:bl=3.5", [0, 6, 0, 3.5]), ("5:br=0", [5, 5, 0, 5]),
      ("2.5:tl=50%", [14, 2.5, 2.5, 2.5]),
    ] {
      let result = try applied("rounded:\(text):style=circular", to: raster)
      let expected = Raster(width: width, height: height, bands: 4) { x, y, band in
        guard band == 3 else { return raster[x, y, band] }
        return Self.coverage(x, y) { px, py in
          let (isRight, isLow) = (px > Double(width) / 2, py > Double(height) / 2)
          let radius = radii[isLow ? (isRight ? 2 : 3) : (isRight ? 1 : 0)]
          let (dx, dy) = (
            radius - (isRight ? Double(width) - px : px), radius - (isLow ? Double(height) - py : py)
          )
          return dx <= 0 || dy <= 0 || dx * dx + dy * dy <= radius * radius
        }
      }
      let worst =
        zip(result.values, expected.values).enumerated().map { index, pair in
          index % 4 == 3 ? abs(pair.0 - pair.1) : 0
        }.max() ?? 0
      #expect(worst <= 9, "\(text): \(worst)")
      #expect(result.distance(to: expected) <= 9, "\(text)")
    }
  }

  @Test(
    "a continuous corner bends before its radius begins, stays inside, and is symmetric",
    arguments: [3.0, 10, 25, 80])
  func continuous(radius: Double) {
    for room in [radius, radius * 1.2, radius * 2] {
      let curve = CornerCurve.continuous(radius: radius, room: room)
      #expect(curve.reach >= radius && curve.reach <= radius * 1.528666)
      if room == radius { #expect(abs(curve.reach - radius) < 1e-9, "half a side is a quarter of a circle") }
      if room >= radius * 1.53 { #expect(abs(curve.reach - radius * 1.528665) < 1e-6) }
      // From the top edge to the left edge, x falls as y grows.
      for (from, to) in zip(curve.points, curve.points.dropFirst()) {
        #expect(to.x <= from.x + 1e-6 * radius && to.y >= from.y - 1e-6 * radius)
      }
      #expect(abs(curve.points.first?.y ?? 1) < 1e-9 && abs(curve.points.last?.x ?? 1) < 1e-9)
      // Mirrored about the diagonal it is the same curve.
      let side = Int(curve.reach.rounded(.up))
      let coverage = curve.coverage(side: side)
      for y in 0..<side {
        for x in 0..<y {
          #expect(abs(Int(coverage[y * side + x]) - Int(coverage[x * side + y])) <= 12, "\(x) \(y)")
        }
      }
    }
  }

  @Test("coverage grows from the corner inwards, and is whole where the edges are straight")
  func monotone() {
    for curve in [CornerCurve.circular(radius: 12), .continuous(radius: 9, room: 40)] {
      let side = Int(curve.reach.rounded(.up)) + 3
      let coverage = curve.coverage(side: side)
      for y in 0..<side {
        for x in 1..<side {
          #expect(coverage[y * side + x] >= coverage[y * side + x - 1])
          #expect(coverage[x * side + y] >= coverage[(x - 1) * side + y])
        }
        #expect(coverage[(side - 1) * side + y] == 255 && coverage[y * side + side - 1] == 255)
      }
      #expect(coverage[0] == 0)
    }
  }

  @Test("rounding 16 bits is rounding 8 bits, but finer")
  func deep() throws {
    let raster = Raster.noise(30, 22, bands: 4, seed: 64)
    for chain in ["circle", "rounded:8", "rounded:8:style=circular"] {
      let (shallow, deep) = (try applied(chain, to: raster), try applied(chain, to: raster, deep: true))
      #expect(zip(shallow.values, deep.values).allSatisfy { abs($0 - $1) <= 1 }, "\(chain)")
    }
  }

  @Test("masks are of the sides that are asked for, down to one pixel")
  func masks() throws {
    for (width, height) in [(1, 1), (1, 9), (9, 1), (2, 2), (50, 3)] {
      let extent = Size(width: width, height: height)
      let room = Double(min(width, height)) / 2
      let curves = (0..<4).map { _ in CornerCurve.circular(radius: room) }
      let mask = try CornerMask.image(extent: extent, corners: curves)
      #expect(mask.width == width && mask.height == height && mask.bands == 1)
      let plain = try CornerMask.image(
        extent: extent, corners: Array(repeating: CornerCurve(points: [], reach: 0), count: 4))
      #expect(try Set(plain.pixels()) == [255])
    }
    for side in 2...9 {
      let disc = try Raster(CornerMask.disc(side: side))
      let area = disc.values.reduce(0, +) / 255
      #expect(abs(area - Double(side * side) * .pi / 4) <= 0.04 * Double(side * side), "\(side): \(area)")
    }
  }
}
