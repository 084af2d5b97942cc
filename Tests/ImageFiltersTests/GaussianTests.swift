import Glibc
import TestSupport
import Testing
import Vips

@testable import ImageFilters

/// Blurs against the sums that define them, in floating point and with a kernel that leaves nothing out.
@Suite("Blurs are within 1 of the exact ones", .timeLimit(.minutes(8)))
struct GaussianTests {
  /// What is hard to blur: noise, one edge, stripes near the limit of what pixels can show, a dot, colors at the ends.
  enum Pattern: String, CaseIterable {
    case noise, edge, stripes, checks, dots, plain

    func number(_ x: Int, _ y: Int, _ band: Int, _ generator: inout SeededRandom) -> UInt8 {
      switch self {
      case .noise: UInt8.random(in: 0...255, using: &generator)
      case .edge: x + band * 3 < 60 ? 0 : 255
      case .stripes:
        UInt8((127.5 + 127.5 * cosine(Double(x) * (2.9 + Double(band) * 0.1) + Double(y) * 0.7)).rounded())
      case .checks: (x + y + band) % 2 == 0 ? 255 : 0
      case .dots: x % 37 == 5 && y % 23 == 7 ? 255 : 0
      case .plain: [255, 1, 100][band % 3]
      }
    }
  }

  static let width = 121, height = 71

  private func pixels(_ pattern: Pattern, bands: Int, _ generator: inout SeededRandom) throws -> VipsImage {
    var bytes: [UInt8] = []
    for y in 0..<Self.height {
      for x in 0..<Self.width {
        for band in 0..<bands { bytes.append(pattern.number(x, y, band, &generator)) }
      }
    }
    return try VipsImage(
      pixels: bytes, width: Self.width, height: Self.height, bands: bands, interpretation: .sRGB)
  }

  /// The definition: a kernel of five deviations, in floating point.
  private func exact(_ image: VipsImage, _ proportions: [Double]) throws -> VipsImage {
    try image.cast(to: .float).materialized().convolvedSeparably(proportions)
  }

  private func gaussian(_ sigma: Double) -> [Double] {
    (0...Int((sigma * 5).rounded(.up)) + 1).map { exponential(-Double($0 * $0) / (2 * sigma * sigma)) }
  }

  private func worst(_ left: VipsImage, _ right: VipsImage) throws -> Double {
    try left.combined("subtract", with: right).applying("abs").measuring("max")
  }

  static let sigmas = [0.1, 0.3, 0.7, 1, 1.5, 2, 3, 3.9, 4, 4.1, 5, 6.5, 8, 8.3, 10, 13, 20, 41]

  @Test("of opaque images", arguments: sigmas, Pattern.allCases)
  func opaque(sigma: Double, pattern: Pattern) throws {
    let seed = SeededRandom.seed
    var generator = SeededRandom(seed: seed)
    let image = try pixels(pattern, bands: 3, &generator)
    let made = try FilterChain(parsing: "blur:\(sigma)").apply(to: image)
    let wanted = try exact(image, gaussian(sigma)).linear([1], [0.5]).cast(to: .uchar)
    #expect(try worst(made, wanted) <= 1, "seed \(seed)")
  }

  @Test("of transparent ones, as they are seen", arguments: [0.7, 3, 5, 10, 30], Pattern.allCases)
  func transparent(sigma: Double, pattern: Pattern) throws {
    let seed = SeededRandom.seed
    var generator = SeededRandom(seed: seed)
    let image = try pixels(pattern, bands: 4, &generator)
    func seen(_ image: VipsImage) throws -> VipsImage {
      try image.applying("premultiply", ["max-alpha": 255])
    }
    let made = try seen(FilterChain(parsing: "blur:\(sigma)").apply(to: image))
    // Colors and alpha are rounded to 8 bits each before they are multiplied here.
    #expect(try worst(made, exact(seen(image), gaussian(sigma))) <= 1.6, "seed \(seed)")
  }

  @Test("of 16 bits, to a tenth of a step of 8 bits", arguments: [0.7, 3, 5, 20])
  func deep(sigma: Double) throws {
    let seed = SeededRandom.seed
    var generator = SeededRandom(seed: seed)
    let image = try pixels(.noise, bands: 3, &generator).linear([257], [0]).cast(to: .ushort)
      .copied(["interpretation": "rgb16"])
    let made = try FilterChain(parsing: "blur:\(sigma)").apply(to: image)
    #expect(try worst(made, exact(image, gaussian(sigma))) <= 60, "seed \(seed)")
  }

  @Test("in linear light", arguments: [1.0, 4, 9], Pattern.allCases)
  func light(sigma: Double, pattern: Pattern) throws {
    let seed = SeededRandom.seed
    var generator = SeededRandom(seed: seed)
    let image = try pixels(pattern, bands: 3, &generator)
    let made = try FilterChain(parsing: "blur:\(sigma):linear=true").apply(to: image)
    let light = try exact(image.converted(to: .linear), gaussian(sigma)).copied(["interpretation": "scrgb"])
    #expect(try worst(made, light.converted(to: .sRGB)) <= 1, "seed \(seed)")
  }

  @Test("in linear light, of transparent ones, as they are seen", arguments: [1.0, 4, 9], Pattern.allCases)
  func transparentLight(sigma: Double, pattern: Pattern) throws {
    let seed = SeededRandom.seed
    var generator = SeededRandom(seed: seed)
    let image = try pixels(pattern, bands: 4, &generator)
    /// In light, since that is what is mixed: 0 to 255, with the alpha.
    func seen(_ image: VipsImage) throws -> VipsImage {
      let light = try image.extractingBands(from: 0, count: 3).converted(to: .linear).linear([255], [0])
      let alpha = try image.extractingBands(from: 3, count: 1)
      return try light.combined("multiply", with: alpha.linear([1.0 / 255], [0])).joiningBands([
        alpha.cast(to: .float)
      ])
    }
    let made = try seen(FilterChain(parsing: "blur:\(sigma):linear=true").apply(to: image))
    // A step of 8 bits near white is 2.3 of 255 in light.
    #expect(try worst(made, exact(seen(image), gaussian(sigma))) <= 2.5, "seed \(seed)")
  }

  @Test("of squares", arguments: [1, 2, 3, 10, 40], [3, 4])
  func boxes(radius: Int, bands: Int) throws {
    let seed = SeededRandom.seed
    var generator = SeededRandom(seed: seed)
    let image = try pixels(.noise, bands: bands, &generator)
    func seen(_ image: VipsImage) throws -> VipsImage {
      try image.hasAlpha ? image.applying("premultiply", ["max-alpha": 255]) : image.cast(to: .float)
    }
    let made = try seen(FilterChain(parsing: "box-blur:\(radius)").apply(to: image))
    #expect(
      try worst(made, exact(seen(image), [Double](repeating: 1, count: radius + 1))) <= 1.6, "seed \(seed)")
  }

  @Test("a plain image stays what it is, and nothing becomes of transparent pixels")
  func plain() throws {
    for sigma in Self.sigmas {
      let image = try TestImage.plain([0, 255, 97], 90, 60)
      #expect(try FilterChain(parsing: "blur:\(sigma)").apply(to: image).pixels() == image.pixels())
      let clear = try TestImage.plain([10, 200, 0, 0], 90, 60)
      #expect(try FilterChain(parsing: "blur:\(sigma)").apply(to: clear).pixels().allSatisfy { $0 == 0 })
    }
  }
}
