import Glibc
import TestSupport
import Testing
import Vips

@testable import ImageFilters

/// Effects against loops over pixels, with the outermost repeated beyond the edges.
@Suite("Effects and their definitions", .timeLimit(.minutes(8)))
struct EffectReferenceTests {
  /// A kernel applied along the rows and down the columns of premultiplied numbers.
  private static func convolved(_ raster: Raster, _ weights: [Double]) -> Raster {
    let reach = weights.count / 2
    let across = raster.map { x, y, band in
      weights.enumerated().reduce(0) { $0 + $1.element * raster[x + $1.offset - reach, y, band] }
    }
    return across.map { x, y, band in
      weights.enumerated().reduce(0) { $0 + $1.element * across[x, y + $1.offset - reach, band] }
    }
  }

  private static func gaussian(_ sigma: Double) -> [Double] {
    let reach = Int((sigma * 5).rounded(.up))
    let weights = (-reach...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
    let total = weights.reduce(0, +)
    return weights.map { $0 / total }
  }

  @Test("a blur is a Gaussian's weighted mean, of premultiplied colors", arguments: [0.5, 1, 2.5, 4, 6])
  func blur(sigma: Double) throws {
    for bands in [3, 4] {
      for deep in [false, true] {
        let raster = Raster.noise(34, 27, bands: bands, seed: 31)
        let expected = Self.convolved(raster.premultiplied(), Self.gaussian(sigma)).unpremultiplied()
        let result = try applied("blur:\(sigma)", to: raster, deep: deep)
        #expect(
          result.distance(to: expected) <= 1.6,
          "\(bands) bands, deep \(deep): \(result.distance(to: expected))")
      }
    }
  }

  @Test("beyond the edge is nothing, where that is asked for", arguments: [1.0, 3])
  func transparent(sigma: Double) throws {
    let raster = Raster.noise(12, 10, bands: 4, seed: 32)
    let growth = Int((3 * sigma).rounded(.up))
    let margin = 5 * Int(sigma) + growth + 2
    let wide = Raster(width: 12 + 2 * margin, height: 10 + 2 * margin, bands: 4) { x, y, band in
      let (column, row) = (x - margin, y - margin)
      return (0..<12).contains(column) && (0..<10).contains(row) ? raster[column, row, band] : 0
    }
    let whole = Self.convolved(wide.premultiplied(), Self.gaussian(sigma)).unpremultiplied()
    for (edge, grown) in [("transparent", 0), ("extend", growth)] {
      let result = try applied("blur:\(sigma):edge=\(edge)", to: raster)
      let expected = Raster(width: 12 + 2 * grown, height: 10 + 2 * grown, bands: 4) { x, y, band in
        whole[x + margin - grown, y + margin - grown, band]
      }
      #expect(
        result.distance(to: expected, least: 48) <= 2, "\(edge): \(result.distance(to: expected, least: 48))")
      let alphas = zip(result.values, expected.values).enumerated().filter { $0.offset % 4 == 3 }
      #expect(alphas.allSatisfy { abs($0.element.0 - $0.element.1) <= 1.6 }, "\(edge)")
    }
  }

  @Test("a box is the mean of its square", arguments: [0, 1, 2, 5, 20])
  func box(radius: Int) throws {
    for bands in [3, 4] {
      let raster = Raster.noise(23, 19, bands: bands, seed: 33)
      let weights = [Double](repeating: 1 / Double(2 * radius + 1), count: 2 * radius + 1)
      let expected = Self.convolved(raster.premultiplied(), weights).unpremultiplied()
      let result = try applied("box-blur:\(radius)", to: raster)
      #expect(result.distance(to: expected) <= 1.6, "\(bands) bands: \(result.distance(to: expected))")
    }
  }

  @Test("a median of 3 by 3 is the middle one, band by band", arguments: [1, 2, 3])
  func median(size: Int) throws {
    for bands in [3, 4] {
      let raster = Raster.noise(15, 13, bands: bands, clear: true, seed: 34)
      let expected = raster.map { x, y, band in
        let all = Self.square(raster, x, y, band, side: size | 1)
        return band < 3 ? all[all.count / 2] : raster[x, y, 3]
      }
      #expect(try applied("median:\(size)", to: raster).values == expected.values, "\(bands) bands")
    }
    let raster = Raster.noise(15, 13, seed: 34)
    #expect(try applied("ci:CIMedianFilter", to: raster).values == applied("median:3", to: raster).values)
  }

  /// libvips 8.14 finds the middle of larger squares only nearly: one of the numbers next to it.
  @Test("a median of a larger square is in the middle of its numbers", arguments: [4, 5, 9])
  func largeMedian(size: Int) throws {
    let raster = Raster.noise(15, 13, seed: 34)
    let result = try applied("median:\(size)", to: raster)
    for y in 0..<13 {
      for x in 0..<15 {
        for band in 0..<3 {
          let all = Self.square(raster, x, y, band, side: size | 1)
          #expect(all[all.count / 4] <= result[x, y, band] && result[x, y, band] <= all[all.count * 3 / 4])
        }
      }
    }
  }

  /// The numbers of a square about a place, sorted.
  private static func square(_ raster: Raster, _ x: Int, _ y: Int, _ band: Int, side: Int) -> [Double] {
    let reach = side / 2
    return (-reach...reach).flatMap { row in
      (-reach...reach).map { column in raster[x + column, y + row, band] }
    }.sorted()
  }

  @Test("squares have their mean's color", arguments: [1, 2, 3, 7, 30])
  func pixelate(size: Int) throws {
    for bands in [3, 4] {
      let raster = Raster.noise(20, 17, bands: bands, seed: 35)
      let numbers = raster.premultiplied()
      let expected = numbers.map { x, y, band in
        var sum = 0.0
        for row in 0..<size {
          for column in 0..<size { sum += numbers[x / size * size + column, y / size * size + row, band] }
        }
        return sum / Double(size * size)
      }.unpremultiplied()
      let result = try applied("pixelate:\(size)", to: raster)
      #expect(result.distance(to: expected) <= 1, "\(bands) bands: \(result.distance(to: expected))")
    }
  }

  @Test("Core Image's squares lie about their center, from the bottom left")
  func pixellate() throws {
    let raster = Raster.noise(20, 17, seed: 36)
    let result = try applied("ci:CIPixellate:8 5:6", to: raster)
    // A square's middle is 8 from the left and 5 from the bottom: its corners are 3 away.
    let (left, top) = (5, 17 - 5 - 3)
    for x in left..<left + 6 { for y in top..<top + 6 { #expect(result[x, y, 0] == result[left, top, 0]) } }
    #expect(
      result[left - 1, top, 0] != result[left, top, 0] || result[left - 1, top, 1] != result[left, top, 1])
  }

  @Test(
    "sharpening adds the lightness's details to all three colors",
    arguments: [(1.0, 1.0), (0.5, 3), (3, 0.5)])
  func sharpen(sigma: Double, amount: Double) throws {
    for bands in [3, 4] {
      let raster = Raster.noise(24, 20, bands: bands, seed: 37).mapColors { $0.map { 60 + $0 / 2 } }
      let luma = Raster(width: 24, height: 20, bands: 1) { x, y, _ in
        0.2126 * raster[x, y, 0] + 0.7152 * raster[x, y, 1] + 0.0722 * raster[x, y, 2]
      }
      let soft = Self.convolved(luma, Self.gaussian(sigma))
      let expected = raster.map { x, y, band in
        band == 3 ? raster[x, y, 3] : raster[x, y, band] + amount * (luma[x, y, 0] - soft[x, y, 0])
      }.clipped()
      for chain in ["sharpen:\(sigma):\(amount)", "ci:CISharpenLuminance:\(min(2, amount)):\(sigma)"]
      where amount <= 2 || chain.hasPrefix("sharpen") {
        let result = try applied(chain, to: raster)
        #expect(result.distance(to: expected) <= 2 + amount, "\(chain): \(result.distance(to: expected))")
      }
    }
  }

  @Test("unsharp masking adds what a blur takes away", arguments: [(1.0, 0.5), (2.5, 1)])
  func unsharp(radius: Double, intensity: Double) throws {
    let raster = Raster.noise(24, 20, seed: 38).mapColors { $0.map { 80 + $0 / 3 } }
    let soft = Self.convolved(raster, Self.gaussian(radius))
    let expected = raster.map { raster[$0, $1, $2] * (1 + intensity) - soft[$0, $1, $2] * intensity }
      .clipped()
    for chain in ["unsharp:\(radius):\(intensity)", "ci:CIUnsharpMask:\(radius):\(intensity)"] {
      #expect(try applied(chain, to: raster).distance(to: expected) <= 1.6, "\(chain)")
    }
  }

  @Test("edges are the gradient's length, by Sobel", arguments: [0.5, 1, 4])
  func edges(intensity: Double) throws {
    let raster = Raster.noise(14, 12, seed: 39)
    let expected = raster.map { x, y, band in
      func at(_ dx: Int, _ dy: Int) -> Double { raster[x + dx, y + dy, band] }
      let across = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1)
      let down = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1)
      return (across * across + down * down).squareRoot() * intensity / 4
    }.clipped()
    for chain in ["edges:\(intensity)", "ci:CIEdges:\(intensity)"] {
      #expect(try applied(chain, to: raster).distance(to: expected) <= 1, "\(chain)")
    }
  }

  @Test(
    "a vignette is a factor of the distance from the middle",
    arguments: [(0.5, 0.5), (1, 0), (0.3, 0.9), (0.7, 1.5)])
  func vignette(intensity: Double, start: Double) throws {
    let raster = Raster.noise(21, 16, bands: 4, clear: true, seed: 40)
    let half = (21.0 * 21 + 16 * 16).squareRoot() / 2
    let expected = raster.map { x, y, band in
      guard band < 3 else { return raster[x, y, 3] }
      let (dx, dy) = (Double(x) + 0.5 - 10.5, Double(y) + 0.5 - 8)
      let part = min(1, max(0, ((dx * dx + dy * dy).squareRoot() / half - start) / max(1e-6, 1 - start)))
      return raster[x, y, band] * (1 - intensity * part * part * (3 - 2 * part))
    }
    let result = try applied("vignette:\(intensity):\(start)", to: raster)
    #expect(zip(result.values, expected.values).allSatisfy { abs($0 - $1) <= 1 })
  }

  @Test(
    "blurring in linear light averages light", arguments: ["blur:2:linear=true", "scale:1x1:linear=true"])
  func linearLight(chain: String) throws {
    // Half black, half white, in a pattern that is too fine to be seen.
    let raster = Raster(width: 24, height: 24, bands: 3) { x, y, _ in (x + y) % 2 == 0 ? 255 : 0 }
    let result = try applied(chain, to: raster)
    // Half of the light is 188 in sRGB's curve, and 128 is what the numbers make.
    #expect(abs(result[result.width / 2, result.height / 2, 0] - 188) <= 3)
    let plain = try applied(chain.replacing("true", with: "false"), to: raster)
    #expect(abs(plain[plain.width / 2, plain.height / 2, 0] - 128) <= 5)
  }
}
