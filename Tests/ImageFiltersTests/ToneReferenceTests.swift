import Glibc
import TestSupport
import Testing
import Vips

@testable import ImageFilters

/// Tones, pixel by pixel, against their definitions in plain Swift. A result may differ by one of 255.
@Suite("Tones and their definitions", .timeLimit(.minutes(8)))
struct ToneReferenceTests {
  private static func luma(_ c: [Double]) -> Double { 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2] }

  /// IEC 61966-2-1, from 0 to 255 and back.
  private static func light(_ value: Double) -> Double {
    let level = value / 255
    return level <= 0.04045 ? level / 12.92 : pow((level + 0.055) / 1.055, 2.4)
  }

  private static func level(_ light: Double) -> Double {
    let light = min(1, max(0, light))
    return 255 * (light <= 0.003_130_8 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055)
  }

  /// Compares a chain with a function of a pixel's colors, on noise of both depths, with alpha and without.
  private func check(
    _ chain: String, tolerance: Double = 1, _ definition: ([Double]) -> [Double]
  ) throws {
    let seed = SeededRandom.seed
    for bands in [3, 4] {
      // Every level of gray, and noise.
      var raster = Raster.noise(32, 24, bands: bands, clear: true, seed: seed)
      for level in 0..<256 { for band in 0..<3 { raster.values[level * bands + band] = Double(level) } }
      let expected = raster.mapColors(definition).clipped()
      let result = try applied(chain, to: raster)
      // The alpha of a tone stays, so that all of it can be compared.
      let worst = zip(result.values, expected.values).map { abs($0 - $1) }.max() ?? 0
      #expect(worst <= tolerance, "seed \(seed): \(chain), \(bands) bands: \(worst)")
      let deep = try applied(chain, to: raster, deep: true)
      let deepWorst = zip(deep.values, expected.values).map { abs($0 - $1) }.max() ?? 0
      #expect(deepWorst <= tolerance, "seed \(seed): \(chain) of 16 bits: \(deepWorst)")
    }
  }

  @Test("the negative", arguments: ["invert", "ci:CIColorInvert"])
  func invert(chain: String) throws { try check(chain) { $0.map { 255 - $0 } } }

  @Test("brightness is added", arguments: [-1, -0.3, 0, 0.1, 1])
  func brightness(amount: Double) throws {
    try check("brightness:\(amount)") { $0.map { $0 + amount * 255 } }
  }

  @Test("contrast is about the middle", arguments: [0, 0.5, 1, 1.7, 10])
  func contrast(factor: Double) throws {
    try check("contrast:\(factor)") { $0.map { ($0 - 127.5) * factor + 127.5 } }
  }

  @Test("saturation is a distance from gray", arguments: [0, 0.4, 1, 2, 10])
  func saturation(factor: Double) throws {
    try check("saturation:\(factor)") { c in c.map { Self.luma(c) + ($0 - Self.luma(c)) * factor } }
  }

  @Test("hue is a turn that keeps gray, and almost the luma", arguments: [0, 30, 90, 180, 300])
  func hue(angle: Double) throws {
    let (c, s) = (cos(angle * .pi / 180), sin(angle * .pi / 180))
    // W3C Filter Effects 1, feColorMatrix hueRotate: three matrices.
    let base = [[0.213, 0.715, 0.072], [0.213, 0.715, 0.072], [0.213, 0.715, 0.072]]
    let cosine = [[0.787, -0.715, -0.072], [-0.213, 0.285, -0.072], [-0.213, -0.715, 0.928]]
    let sine = [[-0.213, -0.715, 0.928], [0.143, 0.140, -0.283], [-0.787, 0.715, 0.072]]
    for chain in [
      "hue:\(angle)", "ci:CIHueAdjust:inputAngle=\((angle > 180 ? angle - 360 : angle) * .pi / 180)",
    ] {
      try check(chain) { colors in
        (0..<3).map { row in
          (0..<3).reduce(0) { $0 + (base[row][$1] + c * cosine[row][$1] + s * sine[row][$1]) * colors[$1] }
        }
      }
    }
  }

  @Test("gamma is a power", arguments: [0.1, 0.5, 1, 2.2, 10])
  func gamma(gamma: Double) throws {
    try check("gamma:\(gamma)") { $0.map { 255 * pow($0 / 255, 1 / gamma) } }
  }

  @Test("exposure doubles light", arguments: [-10, -1, 0, 0.5, 2])
  func exposure(stops: Double) throws {
    for chain in ["exposure:\(stops)", "ci:CIExposureAdjust:inputEV=\(stops)"] {
      try check(chain, tolerance: 1.5) { $0.map { Self.level(Self.light($0) * pow(2, stops)) } }
    }
  }

  @Test("gray is of the same light")
  func grayscale() throws {
    try check("grayscale", tolerance: 1.5) { c in
      let gray = Self.level(Self.luma(c.map(Self.light)))
      return [gray, gray, gray]
    }
  }

  @Test(
    "a tint goes through its color in the middle",
    arguments: ["teal", "#ff8000", "black", "white", "#808080"])
  func tint(name: String) throws {
    let color = try #require(Color(name))
    let middle = [color.red, color.green, color.blue].map { Double($0) / 255 }
    for intensity in [0, 0.3, 1] {
      try check("tint:\(name):\(intensity)") { c in
        let gray = Self.luma(c) / 255
        return zip(c, middle).map { value, middle in
          // The quadratic through (0, 0), (½, middle) and (1, 1).
          let toned = gray * gray * (2 - 4 * middle) + gray * (4 * middle - 1)
          return value * (1 - intensity) + min(10, toned) * 255 * intensity
        }
      }
    }
  }

  @Test(
    "a duotone goes from one color to the other",
    arguments: [("navy", "gold"), ("black", "white"), ("red", "red")])
  func duotone(dark: String, light: String) throws {
    let (dark, light) = (try #require(Color(dark)), try #require(Color(light)))
    let low = [dark.red, dark.green, dark.blue].map(Double.init)
    let high = [light.red, light.green, light.blue].map(Double.init)
    try check("duotone:\(dark.identifier):\(light.identifier)") { c in
      zip(low, high).map { $0 + ($1 - $0) * Self.luma(c) / 255 }
    }
  }

  @Test("levels are as many as are asked for, evenly spread", arguments: [2, 3, 7, 100, 256])
  func posterize(levels: Int) throws {
    let raster = Raster(width: 256, height: 1, bands: 3) { x, _, _ in Double(x) }
    let result = try applied("posterize:\(levels)", to: raster).values
    #expect(Set(result).count == levels && result.first == 0 && result.last == 255)
    #expect(zip(result, result.dropFirst(3)).allSatisfy { $0 <= $1 })
    for value in result {
      let step = value * Double(levels - 1) / 255
      #expect(abs(step - step.rounded()) * 255 / Double(levels - 1) <= 0.5, "\(value)")
    }
    // Each has as much of the range as the next, to a number.
    let counts = Dictionary(grouping: result, by: { $0 }).values.map { $0.count / 3 }
    #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1)
  }

  @Test("a threshold cuts at its level, which is light itself", arguments: [0, 1, 90, 128, 254, 255])
  func threshold(level: Int) throws {
    let raster = Raster(width: 256, height: 1, bands: 3) { x, _, _ in Double(x) }
    let result = try applied("threshold:\(level)", to: raster)
    for x in 0..<256 { #expect(result[x, 0, 1] == (x >= level ? 255 : 0), "\(x)") }
  }

  @Test("opacity is the alpha's factor, and the only thing that changes", arguments: [0, 0.25, 0.5, 1])
  func opacity(factor: Double) throws {
    for bands in [3, 4] {
      let raster = Raster.noise(20, 10, bands: bands, clear: true, seed: 21)
      for deep in [false, true] {
        let result = try applied("opacity:\(factor)", to: raster, deep: deep)
        let expected = Raster(width: 20, height: 10, bands: 4) { x, y, band in
          band < 3 ? raster[x, y, band] : (bands == 4 ? raster[x, y, 3] : 255) * factor
        }
        #expect(zip(result.values, expected.values).allSatisfy { abs($0 - $1) <= 0.51 })
      }
    }
  }

  @Test("flattening lays it over a color", arguments: ["white", "black", "#3366cc", "#3366cc00"])
  func flatten(name: String) throws {
    let color = try #require(Color(name))
    let under = [color.red, color.green, color.blue].map(Double.init)
    let raster = Raster.noise(20, 10, bands: 4, clear: true, seed: 22)
    for deep in [false, true] {
      let result = try applied("flatten:\(name)", to: raster, deep: deep)
      let expected = Raster(width: 20, height: 10, bands: 3) { x, y, band in
        let alpha = raster[x, y, 3] / 255
        return raster[x, y, band] * alpha + under[band] * (1 - alpha)
      }
      #expect(result.distance(to: expected) <= 1)
    }
    let opaque = Raster.noise(5, 5, seed: 23)
    #expect(try applied("flatten:\(name)", to: opaque).values == opaque.values)
  }

  @Test("the controls of Core Image are saturation, contrast and brightness at once")
  func controls() throws {
    for (saturation, brightness, contrast) in [(1.0, 0.0, 1.0), (0.5, 0.1, 1.2), (2, -0.5, 0.3), (0, 0, 4)] {
      try check("ci:CIColorControls:\(saturation):\(brightness):\(contrast)") { c in
        c.map {
          let saturated = Self.luma(c) + ($0 - Self.luma(c)) * saturation
          return (saturated - 127.5) * contrast + 127.5 + brightness * 255
        }
      }
    }
  }

  @Test("the rest of Core Image's tones are what they say")
  func coreImage() throws {
    try check("ci:CIMaximumComponent") { c in
      let most = c.max() ?? 0; return [most, most, most]
    }
    try check("ci:CIMinimumComponent") { c in
      let least = c.min() ?? 0; return [least, least, least]
    }
    try check("ci:CIPhotoEffectTonal") { c in
      let gray = Self.luma(c); return [gray, gray, gray]
    }
    try check("ci:CIWhitePointAdjust:#ff8040") { [$0[0], $0[1] * 128 / 255, $0[2] * 64 / 255] }
    try check("ci:CIColorMonochrome:#804020:0.5") { c in
      zip(c, [128.0, 64, 32]).map { $0 * 0.5 + Self.luma(c) * $1 / 255 * 0.5 }
    }
    try check("ci:CIGammaAdjust:inputPower=2", tolerance: 1.5) {
      $0.map { Self.level(pow(Self.light($0), 2)) }
    }
    try check("ci:CIVibrance:0.7") { c in
      let strength = 0.7 * (1 - ((c.max() ?? 0) - (c.min() ?? 0)) / 255)
      return c.map { $0 + ($0 - Self.luma(c)) * strength }
    }
  }

  @Test("a matrix of Core Image mixes all four numbers")
  func matrix() throws {
    let raster = Raster.noise(20, 10, bands: 4, clear: true, seed: 24)
    let rows = [[0.0, 1, 0, 0], [0.5, 0, 0.5, 0], [0, 0, 0, 1], [0.25, 0.25, 0.25, 0.25]]
    let bias = [0.1, 0, -0.1, 0]
    let texts = (rows + [bias]).map { $0.map(Number.text).joined(separator: "_") }
    let result = try applied("ci:CIColorMatrix:" + texts.joined(separator: ":"), to: raster)
    let expected = raster.map { x, y, band in
      (0..<4).reduce(bias[band] * 255) { $0 + rows[band][$1] * raster[x, y, $1] }
    }.clipped()
    #expect(zip(result.values, expected.values).allSatisfy { abs($0 - $1) <= 1 })
  }

  @Test("normalizing spreads what there is from black to white")
  func normalize() throws {
    let raster = Raster(width: 101, height: 5, bands: 3) { x, _, _ in 80 + Double(x) * 0.6 }
    let result = try applied("normalize", to: raster)
    #expect(result[0, 0, 0] <= 2 && result[100, 0, 0] >= 253)
    #expect(zip(result.values, result.values.dropFirst(3).prefix(300)).allSatisfy { $0 <= $1 + 1 })
    // Plain stays plain, and what covers the whole range already stays as it is.
    let plain = Raster(width: 9, height: 9, bands: 3) { _, _, _ in 99 }
    #expect(try applied("normalize", to: plain).values == plain.values)
  }
}
