import TestSupport
import Testing
import Vips

@testable import ImageFilters

@Suite("Geometry", .timeLimit(.minutes(8)))
struct GeometryTests {
  @Test("output sizes are exactly what the arithmetic says, for random sizes")
  func sizes() throws {
    let seed = SeededRandom.seed
    var generator = SeededRandom(seed: seed)
    for _ in 0..<150 {
      let (w, h) = (Int.random(in: 1...300, using: &generator), Int.random(in: 1...300, using: &generator))
      let (wanted, tall) = (
        Int.random(in: 1...300, using: &generator), Int.random(in: 1...300, using: &generator)
      )
      let image = try TestImage.plain([10, 20, 30], w, h)
      let fit = min(Double(wanted) / Double(w), Double(tall) / Double(h))
      func rounded(_ factor: Double) -> [Int] {
        [max(1, Int((Double(w) * factor).rounded())), max(1, Int((Double(h) * factor).rounded()))]
      }
      let expectations = [
        ("scale", [wanted, tall]), ("pad", [wanted, tall]), ("fill", [wanted, tall]), ("fit", rounded(fit)),
        ("limit", rounded(min(1, fit))),
      ]
      for (name, size) in expectations {
        for extra in name == "pad" || name == "fill" ? ["", ":snap=false"] : [""] {
          let result = try FilterChain(parsing: "\(name):\(wanted)x\(tall)\(extra)").apply(to: image)
          #expect(
            [result.width, result.height] == size,
            "seed \(seed): \(name)\(extra) of \(w)x\(h) to \(wanted)x\(tall)")
        }
      }
      guard wanted * h / w < SizeSpecification.sides.upperBound else {
        #expect(throws: FilterError.self, "seed \(seed): \(w)x\(h) to \(wanted)x") {
          try FilterChain(parsing: "scale:\(wanted)x").apply(to: image)
        }
        continue
      }
      let wide = try FilterChain(parsing: "scale:\(wanted)x").apply(to: image)
      #expect(
        [wide.width, wide.height] == [
          wanted, max(1, Int((Double(h) * Double(wanted) / Double(w)).rounded())),
        ])
    }
  }

  @Test(
    "a centred dot stays centred", arguments: ["scale:", "fill:", "pad:", "fit:"],
    [33, 63, 66, 99, 121, 163, 330, 15, 21])
  func centred(name: String, side: Int) throws {
    // A soft dot in the middle of 33x33.
    var pixels: [UInt8] = []
    for y in 0..<33 {
      for x in 0..<33 {
        let distance = Double((x - 16) * (x - 16) + (y - 16) * (y - 16))
        pixels += [UInt8(255 / (1 + distance / 6)), 0, 0]
      }
    }
    let image = try VipsImage(pixels: pixels, width: 33, height: 33, bands: 3, interpretation: .sRGB)
    for extra in name == "fill:" || name == "pad:"
      ? ["", ":snap=false"] : ["", ":kernel=mitchell", ":kernel=linear"]
    {
      let result = try FilterChain(parsing: "\(name)\(side)x\(side)\(extra)").apply(to: image)
      let centre = try centroid(result)
      #expect(
        abs(centre.x - Double(side) / 2) < 0.05 && abs(centre.y - Double(side) / 2) < 0.05,
        "\(extra) \(centre)")
    }
  }

  /// Sizes of AlamofireImage's test images, and alphas that its reference images have there.
  @Test(
    "padding's edges are as opaque as the image covers them",
    arguments: [
      (180, 260, 7, 25, 78), (180, 260, 6, 25, 0), (180, 260, 8, 25, 255), (180, 260, 42, 25, 78),
      (244, 126, 25, 12, 230), (244, 126, 25, 11, 0), (244, 126, 25, 37, 230), (244, 126, 25, 38, 0),
      (350, 210, 25, 9, 0), (350, 210, 25, 10, 255),
    ])
  func padding(width: Int, height: Int, x: Int, y: Int, alpha: Int) throws {
    let image = try TestImage.plain([90, 120, 200], width, height)
    for name in ["AspectScaledToFitSizeFilter:50x50", "imageAspectScaledToFit:50x50", "pad:50x50:snap=false"]
    {
      let pixel = try TestImage.pixel(FilterChain(parsing: name).apply(to: image), x, y).map(Int.init)
      #expect(abs(pixel[3] - alpha) <= 2, "\(pixel)")
      if alpha > 0 { #expect(abs(pixel[0] - 90) <= 1 && abs(pixel[2] - 200) <= 1, "\(pixel)") }
    }
  }

  @Test("nearest neighbors are those that the middles fall upon")
  func nearest() throws {
    let image = try TestImage.gradient(5, 4)
    let doubled = try FilterChain(parsing: "scale:10x8:kernel=nearest").apply(to: image)
    for y in 0..<8 {
      for x in 0..<10 { #expect(try TestImage.pixel(doubled, x, y) == TestImage.pixel(image, x / 2, y / 2)) }
    }
  }

  @Test(
    "one color with alpha keeps its color at every edge",
    arguments: [
      "scale:50x20", "scale:400x300", "fill:33x47", "pad:70x30:snap=false", "rotate:33", "blur:3",
      "blur:3:edge=extend", "blur:4:linear=true", "circle", "rounded:9", "box-blur:3", "pixelate:7",
    ])
  func premultiplied(text: String) throws {
    // Red with soft edges on nothing (which is black underneath).
    var pixels: [UInt8] = []
    for y in 0..<60 {
      for x in 0..<80 {
        let inside = min(min(x, 79 - x), min(y, 59 - y))
        let alpha = UInt8(min(255, max(0, (inside - 10) * 25)))
        pixels += alpha == 0 ? [0, 0, 0, 0] : [220, 40, 90, alpha]
      }
    }
    let image = try VipsImage(pixels: pixels, width: 80, height: 60, bands: 4, interpretation: .sRGB)
    let result = try FilterChain(parsing: text).apply(to: image).pixels()
    var seen = 0
    for start in stride(from: 0, to: result.count, by: 4) where result[start + 3] > 40 {
      seen += 1
      #expect(
        abs(Int(result[start]) - 220) <= 4 && abs(Int(result[start + 1]) - 40) <= 4
          && abs(Int(result[start + 2]) - 90) <= 4)
    }
    #expect(seen > 100)
  }

  @Test(
    "gravity says what is kept",
    arguments: [("north", 0, 0), ("south", 0, 60), ("centre", 0, 30), ("0.5x0.9", 0, 60), ("0.5x0.4", 0, 20)])
  func gravity(name: String, x: Int, y: Int) throws {
    let image = try TestImage.gradient(40, 100)
    let result = try FilterChain(parsing: "crop:40x40:\(name)").apply(to: image)
    #expect(try result.pixels() == image.cropped(x: x, y: y, width: 40, height: 40).pixels())
  }

  @Test("a crop outside the image is an error, and what there is of it with clip")
  func clipping() throws {
    let image = try TestImage.gradient(40, 30)
    #expect(throws: FilterError.self) { try FilterChain(parsing: "crop:20x20+30+0").apply(to: image) }
    let clipped = try FilterChain(parsing: "crop:20x20+30-5:clip=true").apply(to: image)
    #expect(try clipped.pixels() == image.cropped(x: 30, y: 0, width: 10, height: 15).pixels())
    #expect(throws: FilterError.self) {
      try FilterChain(parsing: "crop:20x20+40+0:clip=true").apply(to: image)
    }
  }

  @Test("trim takes the border and no more")
  func trim() throws {
    let inner = try TestImage.gradient(30, 20).linear([0.5], [0]).cast(to: .uchar)
    let framed = try inner.embedded(
      x: 7, y: 5, width: 50, height: 40, extend: "background", background: [250, 250, 250])
    let result = try FilterChain(parsing: "trim").apply(to: framed)
    #expect(result.width == 30 && result.height == 20)
    #expect(try result.pixels() == inner.pixels())
    let plain = try FilterChain(parsing: "trim").apply(to: TestImage.plain([9, 9, 9], 8, 6))
    #expect(plain.width == 8 && plain.height == 6)
  }

  @Test("trim works on the smallest images too", arguments: [(1, 4), (1, 5), (5, 1), (2, 2), (2, 7)])
  func smallTrim(width: Int, height: Int) throws {
    let chain = try FilterChain(parsing: "trim:5:white")
    let plain = try chain.apply(to: TestImage.plain([255, 255, 255], width, height))
    #expect(plain.width == width && plain.height == height)
    let framed = try TestImage.plain([10, 90, 10], width, height)
      .embedded(
        x: width > height ? 2 : 0, y: width > height ? 0 : 2, width: width + (width > height ? 4 : 0),
        height: height + (width > height ? 0 : 4), extend: "background", background: [255, 255, 255])
    let trimmed = try chain.apply(to: framed)
    #expect(trimmed.width == width && trimmed.height == height, "\(trimmed.width)x\(trimmed.height)")
  }

  @Test("a border is added where it is asked for")
  func extend() throws {
    let image = try TestImage.gradient(20, 10)
    let result = try FilterChain(parsing: "extend:1:2:3:4:white").apply(to: image)
    #expect(result.width == 26 && result.height == 14 && !result.hasAlpha)
    #expect(try result.cropped(x: 4, y: 1, width: 20, height: 10).pixels() == image.pixels())
    #expect(try TestImage.pixel(result, 0, 0) == [255, 255, 255])
    #expect(try FilterChain(parsing: "extend:5").apply(to: image).hasAlpha)
    #expect(
      try FilterChain(parsing: "extend:5:mode=copy").apply(to: image).pixels().prefix(3)
        == image.pixels().prefix(3))
  }

  private func centroid(_ image: VipsImage) throws -> (x: Double, y: Double) {
    let pixels = try image.pixels()
    var (x, y, total) = (0.0, 0.0, 0.0)
    for row in 0..<image.height {
      for column in 0..<image.width {
        let value = Double(pixels[(row * image.width + column) * image.bands])
        x += (Double(column) + 0.5) * value
        y += (Double(row) + 0.5) * value
        total += value
      }
    }
    return (x / total, y / total)
  }
}
