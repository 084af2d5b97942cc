import TestSupport
import Testing
import Vips

@testable import ImageFilters

@Suite("Resampling", .timeLimit(.minutes(8)))
struct ResamplingTests {
  static let kernels = Resampler.kernels

  @Test("nearest neighbors are those that the middles fall upon, to any size")
  func nearest() throws {
    let raster = Raster.noise(11, 7, seed: 51)
    for (width, height) in [(11, 7), (22, 14), (33, 7), (5, 3), (1, 1), (16, 20), (3, 50)] {
      let result = try applied("scale:\(width)x\(height):nearest", to: raster)
      let expected = Raster(width: width, height: height, bands: 3) { x, y, band in
        // A middle on the line between two pixels belongs to the second one.
        let column = Int((Double(x) + 0.5) * 11 / Double(width) + 1e-9)
        let row = Int((Double(y) + 0.5) * 7 / Double(height) + 1e-9)
        return raster[column, row, band]
      }
      let wrong = zip(result.values, expected.values).count { $0 != $1 }
      // Ties may fall to either side, as long as they are few.
      #expect(wrong <= expected.values.count / 5, "\(width)x\(height): \(wrong) of \(expected.values.count)")
      if width % 11 == 0, height % 7 == 0 { #expect(wrong == 0, "\(width)x\(height)") }
    }
  }

  @Test("linear enlarging is linear between the middles, and level beyond the outermost")
  func linear() throws {
    let raster = Raster.noise(9, 6, seed: 52)
    for (width, height) in [(18, 12), (27, 30), (13, 6), (40, 7)] {
      let result = try applied("scale:\(width)x\(height):linear", to: raster)
      let expected = Raster(width: width, height: height, bands: 3) { x, y, band in
        let across = (Double(x) + 0.5) * 9 / Double(width) - 0.5
        let down = (Double(y) + 0.5) * 6 / Double(height) - 0.5
        let (left, top) = (across.rounded(.down), down.rounded(.down))
        let (u, v) = (across - left, down - top)
        func at(_ dx: Int, _ dy: Int) -> Double { raster[Int(left) + dx, Int(top) + dy, band] }
        return (at(0, 0) * (1 - u) + at(1, 0) * u) * (1 - v) + (at(0, 1) * (1 - u) + at(1, 1) * u) * v
      }
      #expect(result.distance(to: expected) <= 2.5, "\(width)x\(height): \(result.distance(to: expected))")
    }
  }

  @Test("one color stays that color, at every size and with every kernel", arguments: kernels)
  func plain(kernel: String) throws {
    for color in [[0.0, 0, 0], [255, 255, 255], [255, 0, 128], [7, 130, 250]] {
      let raster = Raster(width: 23, height: 17, bands: 3) { _, _, band in color[band] }
      for size in ["5x5", "23x40", "100x3", "1x1", "24x18", "22x16"] {
        for linear in [false, true] {
          let result = try applied("scale:\(size):\(kernel):\(linear)", to: raster)
          let expected = Raster(width: result.width, height: result.height, bands: 3) { _, _, band in
            color[band]
          }
          #expect(result.distance(to: expected) <= (linear ? 1 : 0), "\(size) \(linear)")
        }
      }
    }
  }

  @Test("the mean stays, and a slope stays a slope", arguments: kernels.filter { $0 != "nearest" })
  func slopes(kernel: String) throws {
    let raster = Raster(width: 60, height: 40, bands: 3) { x, y, band in
      band == 0 ? Double(x) * 4 : band == 1 ? Double(y) * 6 : 128
    }
    for (width, height) in [(30, 20), (20, 40), (17, 13), (120, 80), (61, 41), (90, 10)] {
      let result = try applied("scale:\(width)x\(height):\(kernel)", to: raster)
      // Away from the edges, where what is beyond them counts too.
      for y in height / 4..<height * 3 / 4 {
        for x in width / 4..<width * 3 / 4 {
          let across = ((Double(x) + 0.5) * 60 / Double(width) - 0.5) * 4
          let down = ((Double(y) + 0.5) * 40 / Double(height) - 0.5) * 6
          #expect(abs(result[x, y, 0] - across) <= 2.5, "\(width)x\(height) at \(x) \(y)")
          #expect(abs(result[x, y, 1] - down) <= 3.5, "\(width)x\(height) at \(x) \(y)")
          #expect(abs(result[x, y, 2] - 128) <= 1)
        }
      }
    }
  }

  @Test("a symmetric image stays symmetric", arguments: kernels)
  func symmetry(kernel: String) throws {
    let noise = Raster.noise(20, 16, seed: 53)
    let raster = noise.map { x, y, band in noise[min(x, 19 - x), min(y, 15 - y), band] }
    for size in ["10x8", "7x5", "31x25", "40x32", "19x15"] {
      let result = try applied("scale:\(size):\(kernel)", to: raster)
      let mirrored = result.map { x, y, band in result[result.width - 1 - x, result.height - 1 - y, band] }
      // Ties of nearest neighbors fall to one side.
      guard kernel != "nearest" else { continue }
      #expect(result.distance(to: mirrored) <= 2, "\(size): \(result.distance(to: mirrored))")
    }
  }

  @Test(
    "turning and reflecting before is turning and reflecting after",
    arguments: ["scale:15x11", "fit:50x50", "fill:20x9"])
  func commutes(chain: String) throws {
    let raster = Raster.noise(31, 23, bands: 4, seed: 54)
    for turn in ["flip", "flop", "rotate:180"] {
      let (before, after) = (
        try applied("\(turn),\(chain)", to: raster), try applied("\(chain),\(turn)", to: raster)
      )
      #expect(before.distance(to: after) <= 2, "\(turn): \(before.distance(to: after))")
    }
  }

  @Test(
    "colors that can't be seen lend nothing to their neighbors",
    arguments: [
      "scale:9x7", "scale:60x50", "fit:20x20", "fill:12x12", "pad:30x9", "rotate:33", "blur:2",
      "blur:2:edge=extend",
      "blur:3:linear=true", "box-blur:2", "pixelate:5", "circle", "fill:13x9:snap=false", "unsharp:2:0.5",
    ])
  func invisible(chain: String) throws {
    // Two images that look the same: what lies under no alpha is black here and noise there.
    let raster = Raster.noise(24, 20, bands: 4, seed: 55)
    let left = raster.map { x, y, band in
      (x / 6 + y / 5) % 2 == 0 ? 0 : raster[x, y, band]
    }
    let right = raster.map { x, y, band in
      (x / 6 + y / 5) % 2 == 0 && band == 3 ? 0 : raster[x, y, band]
    }
    let (first, second) = (try applied(chain, to: left), try applied(chain, to: right))
    #expect(first.distance(to: second, least: 1) <= 1, "\(first.distance(to: second, least: 1))")
    for deep in [true] {
      let (first, second) = (
        try applied(chain, to: left, deep: deep), try applied(chain, to: right, deep: deep)
      )
      #expect(first.distance(to: second, least: 1) <= 1)
    }
  }

  @Test("fractions of AlamofireImage's geometry cover edge pixels in part")
  func coverage() {
    #expect(Pad.coverage(from: 0, to: 3, count: 3) == [255, 255, 255])
    #expect(Pad.coverage(from: 0.5, to: 2.25, count: 4) == [128, 255, 64, 0])
    #expect(Pad.coverage(from: 1.25, to: 1.5, count: 3) == [0, 64, 0])
    #expect(Pad.coverage(from: -2, to: 9, count: 2) == [255, 255])
    #expect(Pad.coverage(from: 2, to: 2, count: 4) == [0, 0, 0, 0])
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for _ in 0..<500 {
      let start = Double.random(in: 0...20, using: &random)
      let end = start + Double.random(in: 0...20, using: &random)
      let total = Pad.coverage(from: start, to: end, count: 40).reduce(0.0) { $0 + Double($1) / 255 }
      #expect(abs(total - (end - start)) <= 0.01, "seed \(seed): \(start) \(end)")
    }
  }

  @Test("a gravity's origin is symmetric, and inside where there is room")
  func origins() {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for _ in 0..<500 {
      let (length, line) = (
        Double.random(in: 1...100, using: &random), Double.random(in: 1...100, using: &random)
      )
      for place in Gravity.Place.allCases {
        let x = Gravity.place(place).origin(of: length, along: line, axis: \.x)
        let opposite = Gravity.place(place).origin(of: length, along: line, axis: \.y)
        #expect(min(0, line - length) <= x && x <= max(0, line - length))
        #expect(min(0, line - length) <= opposite && opposite <= max(0, line - length))
      }
      let fraction = Double.random(in: 0...1, using: &random)
      let x = Gravity.focus(x: fraction, y: 0).origin(of: length, along: line, axis: \.x)
      let mirrored = Gravity.focus(x: 1 - fraction, y: 0).origin(of: length, along: line, axis: \.x)
      #expect(abs(x + mirrored - (line - length)) < 1e-9, "seed \(seed): \(fraction) \(length) \(line)")
      #expect(min(0, line - length) - 1e-9 <= x && x <= max(0, line - length) + 1e-9)
    }
  }
}
