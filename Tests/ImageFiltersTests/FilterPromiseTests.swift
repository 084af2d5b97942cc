import TestSupport
import Testing
import Vips

@testable import ImageFilters

/// What every filter of the table promises, on images of every kind that a decoder gives.
@Suite("Every filter's promises", .timeLimit(.minutes(8)))
struct FilterPromiseTests {
  static let names = FilterTable.all.map(\.name)
  /// As many as there are kinds, so that each is tried.
  static let sizes = [(1, 1), (1, 9), (8, 1), (2, 3), (17, 31), (5, 5), (40, 29)]

  /// Kinds of images: bands, and whether they have 16 bits.
  enum Kind: CaseIterable {
    case gray, grayAlpha, color, colorAlpha, deepGray, deepColor, deepColorAlpha

    var bands: Int {
      switch self {
      case .gray, .deepGray: 1
      case .grayAlpha: 2
      case .color, .deepColor: 3
      case .colorAlpha, .deepColorAlpha: 4
      }
    }
    var hasAlpha: Bool { bands == 2 || bands == 4 }
    var isDeep: Bool { self == .deepGray || self == .deepColor || self == .deepColorAlpha }

    func pixels(_ bytes: [UInt8], _ width: Int, _ height: Int) throws -> VipsImage {
      let image = try VipsImage(
        pixels: bytes, width: width, height: height, bands: bands, interpretation: bands < 3 ? .gray : .sRGB)
      guard isDeep else { return image }
      return try image.linear([257], [0]).cast(to: .ushort).copied([
        "interpretation": bands < 3 ? "grey16" : "rgb16"
      ])
    }

    func noise(_ width: Int, _ height: Int, _ generator: inout SeededRandom) throws -> VipsImage {
      var words = (0..<(width * height * bands + 7) / 8).map { _ in generator.next() }
      let bytes = words.withUnsafeMutableBytes { Array($0.prefix(width * height * bands)) }
      return try pixels(bytes, width, height)
    }
  }

  @Test("is written down for each of them, and for nothing else")
  func complete() {
    let own = FilterTable.all.filter { $0.expansion == nil }.map(\.name)
    #expect(Set(FilterPromises.all.keys) == Set(own))
  }

  /// The sides that the chain's filters promise one after the other; nil where one depends on what is shown.
  private func promised(_ chain: FilterChain, of extent: Size) throws -> Size? {
    var extent = extent
    for step in chain.steps {
      let promise = try #require(FilterPromises.all[step.name])
      guard let (width, height) = try promise.size(step.arguments, extent) else { return nil }
      extent = Size(width: max(1, Int(width.rounded())), height: max(1, Int(height.rounded())))
    }
    return extent
  }

  /// The chain's result; nil where a crop lies outside the image, frames are trimmed to different sizes, or a transition
  /// follows another one, whose result is an animation. These are errors by right.
  private func apply(_ chain: FilterChain, to image: VipsImage, _ label: String) throws -> VipsImage? {
    do throws(FilterError) {
      return try chain.apply(to: image, context: FilterPropertyTests.context)
    } catch {
      let names = chain.steps.map(\.name)
      let isRightful =
        names.contains("crop") && error.message.contains("isn't inside")
        || names.contains("trim") && error.message.contains("would differ in size")
        || names.count { $0 == "transition" } > 1 && error.message.contains("needs a still image")
      if !isRightful { Issue.record("\(label): \(error)") }
      return nil
    }
  }

  @Test("the size and kind of what comes out", arguments: names)
  func sizes(name: String) throws {
    let seed = SeededRandom.seed
    var random = RandomChains(seed: seed, modest: true)
    let definition = try #require(FilterTable.definition(named: name))
    for (index, kind) in Kind.allCases.enumerated() {
      for (width, height) in [
        Self.sizes[index], Self.sizes.randomElement(using: &random.generator) ?? (2, 2),
      ] {
        let text = random.filter(definition)
        let chain = try FilterChain(parsing: text)
        let label = "seed \(seed): \(text) of \(kind) \(width)x\(height)"
        let image = try kind.noise(width, height, &random.generator)
        guard let made = try apply(chain, to: image, label) else { continue }
        if let size = try promised(chain, of: Size(width: width, height: height)) {
          #expect(made.width == size.width && made.pageHeight == size.height, "\(label)")
        }
        #expect(made.format == (kind.isDeep ? .ushort : .uchar), "\(label)")
        #expect(made.bands == (made.hasAlpha ? 4 : 3), "\(label)")
        // An alpha is lost only on a background.
        let flattens =
          name == "flatten" || text.lowercased().contains("background") || ["pad", "rotate"].contains(name)
        #expect(!kind.hasAlpha || made.hasAlpha || flattens, "\(label)")
        #expect(try made.pixels().count == made.pixelBytes, "\(label)")
      }
    }
  }

  @Test("whole chains: the size that their filters promise one after the other, and the same bytes each time")
  func chains() throws {
    let seed = SeededRandom.seed
    var random = RandomChains(seed: seed, modest: true)
    for _ in 0..<400 {
      let kind = Kind.allCases.randomElement(using: &random.generator) ?? .color
      let (width, height) = Self.sizes.randomElement(using: &random.generator) ?? (2, 2)
      let text = random.chain(longest: 5)
      let chain = try FilterChain(parsing: text)
      let label = "seed \(seed): \(text) of \(kind) \(width)x\(height)"
      let image = try kind.noise(width, height, &random.generator)
      guard let made = try apply(chain, to: image, label) else { continue }
      if let size = try promised(chain, of: Size(width: width, height: height)) {
        #expect(made.width == size.width && made.pageHeight == size.height, "\(label)")
      }
      #expect(made.format == (kind.isDeep ? .ushort : .uchar), "\(label)")
      let pixels = try made.pixels()
      #expect(pixels.count == made.pixelBytes, "\(label)")
      let again = try apply(chain, to: image, label)
      #expect(try again?.pixels() == pixels, "\(label)")
    }
  }

  @Test("one color stays one color, to the very edge", arguments: names)
  func plain(name: String) throws {
    let seed = SeededRandom.seed
    var random = RandomChains(seed: seed, modest: true)
    let definition = try #require(FilterTable.definition(named: name))
    let colors: [[UInt8]] = [[0, 0, 0], [255, 255, 255], [255, 0, 0], [128, 128, 128], [13, 200, 77]]
    for color in colors {
      for kind in [Kind.color, .deepColor] {
        let text = random.filter(definition)
        let chain = try FilterChain(parsing: text)
        let keeps = try chain.steps.allSatisfy {
          try FilterPromises.all[$0.name]?.keepsPlain($0.arguments) == true
        }
        guard keeps else { continue }
        let bytes = (0..<23 * 17).flatMap { _ in color }
        guard let made = try apply(chain, to: kind.pixels(bytes, 23, 17), text) else { continue }
        let values = try (0..<made.bands).map { band in
          let band = try made.extractingBands(from: band, count: 1)
          return try band.measuring("max") - band.measuring("min")
        }
        // 16 bits show the last places of a kernel's weights; half of an 8-bit step is nothing to see.
        let tolerance = kind.isDeep ? 128.0 : 0
        #expect(
          values.allSatisfy { $0 <= tolerance }, "seed \(seed): \(text) of \(color) \(kind) gives \(values)")
      }
    }
  }

  @Test(
    "an alpha that isn't to be touched isn't",
    arguments: names.filter { FilterPromises.all[$0]?.keepsAlpha == true })
  func alpha(name: String) throws {
    let seed = SeededRandom.seed
    var random = RandomChains(seed: seed, modest: false)
    let definition = try #require(FilterTable.definition(named: name))
    for kind in [Kind.colorAlpha, .deepColorAlpha, .grayAlpha] {
      for _ in 0..<3 {
        let text = random.filter(definition)
        let image = try kind.noise(19, 13, &random.generator)
        let made = try FilterChain(parsing: text).apply(to: image)
        #expect(try made.alpha()?.pixels() == image.alpha()?.pixels(), "seed \(seed): \(text) of \(kind)")
      }
    }
  }

  @Test(
    "what has been done changes nothing when it is done again",
    arguments: [
      "scale:20x15", "fit:20x20", "limit:20x20", "fill:20x20", "pad:20x20:white", "crop:20x20", "trim",
      "grayscale", "threshold:90", "posterize:4", "flatten:red", "duotone:black:white", "opacity:1",
      "rotate:0",
      "pixelate:5", "ci:CIPhotoEffectTonal", "ci:CIMaximumComponent", "ci:CIMinimumComponent",
      "ci:CIColorPosterize",
      "saturation:0", "mask:white",
    ])
  func idempotent(text: String) throws {
    let white = FilterContext { (_: String) throws(FilterError) -> VipsImage in
      do { return try TestImage.plain([255, 255, 255], 3, 3) } catch {
        throw FilterError(.failed, "\(error)")
      }
    }
    let chain = try FilterChain(parsing: text)
    for alpha in [false, true] {
      let once = try chain.apply(to: TestImage.gradient(50, 40, alpha: alpha), context: white)
      let twice = try chain.apply(to: once, context: white)
      try #require(once.width == twice.width && once.height == twice.height && once.bands == twice.bands)
      let (left, right) = (try once.pixels(), try twice.pixels())
      var worst = 0
      for index in left.indices {
        // A color that is hardly there has no bits to keep.
        if once.hasAlpha, left[index - index % 4 + 3] < 32 { continue }
        worst = max(worst, abs(Int(left[index]) - Int(right[index])))
      }
      #expect(worst <= 1, "\(worst)")
    }
  }

  @Test("gray that is said to stay gray does", arguments: FilterTable.all.map(\.example))
  func gray(example: String) throws {
    let chain = try FilterChain(parsing: example)
    guard chain.keepsGray else { return }
    let level = try TestImage.gradient(240, 180).extractingBands(from: 0, count: 1)
    let image = try level.joiningBands([level, level]).copied(["interpretation": "srgb"])
    let result = try chain.apply(to: image, context: FilterPropertyTests.context)
    let middle = try result.extractingBands(from: 1, count: 1)
    for band in [0, 2] {
      let other = try result.extractingBands(from: band, count: 1)
      #expect(try middle.combined("subtract", with: other).applying("abs").measuring("max") <= 1)
    }
  }

  @Test("what a chain will make is foretold", arguments: FilterPropertyTests.names)
  func foretold(name: String) throws {
    let seed = SeededRandom.seed
    var random = RandomChains(seed: seed, modest: true)
    let definition = try #require(FilterTable.definition(named: name))
    for _ in 0..<8 {
      let chain = try FilterChain(parsing: random.filter(definition))
      let image = try TestImage.gradient(53, 37)
      guard let result = try? chain.apply(to: image, context: FilterPropertyTests.context) else { continue }
      let frame = FrameForecast(extent: Size(width: 53, height: 37), bands: 3, isDeep: false)
      let step = try chain.forecast(0, of: frame, from: .kept)
      #expect(
        step.frame.extent.width >= result.width && step.frame.extent.height >= result.height
          && step.frame.bands >= result.bands, "seed \(seed) \(chain.identifier)")
      guard name != "trim", name != "crop" else { continue }
      #expect(
        step.frame.extent == Size(width: result.width, height: result.height),
        "seed \(seed) \(chain.identifier)")
    }
  }
}
