import TestSupport
import Testing
import Vips

@testable import ImageFilters

/// What holds for every filter of the table, on random images with random arguments.
@Suite("Every filter", .timeLimit(.minutes(8)))
struct FilterPropertyTests {
  static let context = FilterContext { (_: String) throws(FilterError) -> VipsImage in
    do { return try TestImage.gradient(9, 7, alpha: true) } catch {
      throw FilterError(.failed, "\(error)")
    }
  }
  static let names = FilterTable.all.compactMap {
    $0.expansion == nil && $0.name != "transition" ? $0.name : nil
  }

  @Test("its example runs and makes an image that can be encoded", arguments: FilterTable.all.map(\.example))
  func examples(example: String) throws {
    let chain = try FilterChain(parsing: example)
    for alpha in [false, true] {
      for deep in [false, true] {
        var image = try TestImage.gradient(240, 180, alpha: alpha)
        if deep { image = try image.linear([257], [0]).cast(to: .ushort).copied(["interpretation": "rgb16"]) }
        let result = try chain.apply(to: image, context: Self.context)
        #expect(
          result.interpretation == (deep ? .rgb16 : .sRGB) && result.format == (deep ? .ushort : .uchar))
        #expect(result.bands == (result.hasAlpha ? 4 : 3), "\(result.bands) \(result.hasAlpha)")
        #expect(try result.pixels().count == result.pixelBytes)
      }
    }
  }

  @Test("16 bits come out as 8 bits do, but finer", arguments: FilterTable.all.map(\.example))
  func depth(example: String) throws {
    let chain = try FilterChain(parsing: example)
    let image = try TestImage.gradient(240, 180, alpha: true)
    let deep = try image.linear([257], [0]).cast(to: .ushort).copied(["interpretation": "rgb16"])
    let left = try chain.apply(to: image, context: Self.context).cast(to: .float)
    let right = try chain.apply(to: deep, context: Self.context).linear([1.0 / 257], [0]).cast(to: .float)
    try #require(left.width == right.width && left.height == right.height && left.bands == right.bands)
    // Premultiplied: what nobody sees may be anything.
    func seen(_ image: VipsImage) throws -> VipsImage {
      try image.hasAlpha
        ? image.copied(["interpretation": "srgb"]).applying("premultiply", ["max-alpha": 255]) : image
    }
    let difference = try seen(left).combined("subtract", with: seen(right)).applying("abs").measuring("avg")
    #expect(difference < 1.5, "mean difference \(difference)")
  }

  @Test("frames come out as the filter makes each alone", arguments: names)
  func frames(name: String) throws {
    let seed = SeededRandom.seed
    var random = RandomChains(seed: seed, modest: true)
    let definition = try #require(FilterTable.definition(named: name))
    for _ in 0..<3 {
      let chain = try FilterChain(parsing: random.filter(definition))
      let pages = try (0..<3).map { page in
        try TestImage.gradient(40, 30, alpha: true).linear([1, 1, 1, 1], [Double(page) * 9, 0, 0, 0]).cast(
          to: .uchar)
      }
      let tall = try VipsImage.stacked(pages).editingMetadata { $0.set("page-height", 30) }
      let alone: [[UInt8]]
      do {
        alone = try pages.map { try chain.apply(to: $0, context: Self.context).pixels() }
      } catch {
        // Random arguments may ask for what an image of 40x30 hasn't got; then the animation fails as well.
        #expect(throws: FilterError.self, "seed \(seed)") {
          try chain.apply(to: tall, context: Self.context).materialized()
        }
        continue
      }
      guard Set(alone.map(\.count)).count == 1 else { continue }
      let together = try chain.apply(to: tall, context: Self.context)
      #expect(together.pageCount == 3, "seed \(seed) \(chain.identifier)")
      #expect(try together.pixels() == alone.flatMap { $0 }, "seed \(seed) \(chain.identifier)")
    }
  }

  @Test(
    "the alpha is untouched by tones",
    arguments: FilterTable.all.filter { $0.category == .tone && !["opacity", "flatten"].contains($0.name) }
      .map(\.name))
  func alpha(name: String) throws {
    let seed = SeededRandom.seed
    var random = RandomChains(seed: seed, modest: true)
    let definition = try #require(FilterTable.definition(named: name))
    let image = try TestImage.gradient(37, 23, alpha: true)
    for _ in 0..<4 {
      let text = random.filter(definition)
      let result = try FilterChain(parsing: text).apply(to: image)
      #expect(try result.alpha()?.pixels() == image.alpha()?.pixels(), "seed \(seed) \(text)")
      let opaque = try FilterChain(parsing: text).apply(to: TestImage.gradient(37, 23))
      #expect(!opaque.hasAlpha)
    }
  }

  @Test(
    "a neutral argument changes nothing",
    arguments: [
      "brightness:0", "contrast:1", "saturation:1", "hue:0", "gamma:1", "exposure:0", "sepia:0", "tint:red:0",
      "opacity:1",
      "blur:0", "box-blur:0", "median:1", "sharpen:1:0", "unsharp:2:0", "pixelate:1", "vignette:0",
      "rotate:0", "rotate:360",
      "scale:100%", "limit:9999x9999", "posterize:256", "ci:CIColorControls", "ci:CIColorMatrix",
      "ci:CIVibrance",
      "ci:CIHueAdjust", "ci:CIGammaAdjust", "ci:CIExposureAdjust", "ci:CIWhitePointAdjust", "flip,flip",
      "flop,flop",
      "rotate:90,rotate:270", "rotate:180,rotate:180", "invert,invert",
    ])
  func neutral(chain: String) throws {
    for alpha in [false, true] {
      let image = try TestImage.gradient(61, 43, alpha: alpha)
      let result = try FilterChain(parsing: chain).apply(to: image)
      try #require(result.width == 61 && result.height == 43)
      let left = try result.addingAlpha().pixels()
      let right = try image.addingAlpha().pixels()
      let worst =
        zip(left, right).enumerated().map { index, pair in
          // A color that is hardly there has no bits to keep.
          right[index - index % 4 + 3] < 32 ? 0 : abs(Int(pair.0) - Int(pair.1))
        }.max() ?? 0
      #expect(worst <= 1, "\(worst)")
    }
  }

  @Test(
    "a filter that has been applied changes nothing more",
    arguments: [
      "grayscale", "invert,invert", "threshold:90", "posterize:3", "flatten:red", "fit:20x20",
      "circle,circle", "trim",
    ])
  func idempotent(text: String) throws {
    let chain = try FilterChain(parsing: text)
    let once = try chain.apply(to: TestImage.gradient(50, 40, alpha: true))
    let twice = try chain.apply(to: once)
    try #require(once.width == twice.width && once.height == twice.height)
    guard text != "circle,circle" else { return }
    let worst = try zip(once.pixels(), twice.pixels()).map { abs(Int($0) - Int($1)) }.max() ?? 0
    #expect(worst <= 1)
  }
}
