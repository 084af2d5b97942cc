import TestSupport
import Testing
import Vips

@testable import ImageFilters

/// Two images put together, against the formulas of W3C Compositing and Blending 1.
@Suite("Compositions and their definitions", .timeLimit(.minutes(8)))
struct CompositionReferenceTests {
  private static func context(_ raster: Raster, deep: Bool = false) throws -> FilterContext {
    let image = try raster.image(deep: deep)
    return FilterContext { (_: String) throws(FilterError) -> VipsImage in image }
  }

  /// A blend of two colors from 0 to 1: the backdrop's and the source's.
  private static func blend(_ name: String, _ b: Double, _ s: Double) -> Double {
    switch name {
    case "multiply": b * s
    case "screen": b + s - b * s
    case "overlay": blend("hard-light", s, b)
    case "darken": min(b, s)
    case "lighten": max(b, s)
    case "colour-dodge": b == 0 ? 0 : s >= 1 ? 1 : min(1, b / (1 - s))
    case "colour-burn": b >= 1 ? 1 : s <= 0 ? 0 : 1 - min(1, (1 - b) / s)
    case "hard-light": s <= 0.5 ? b * 2 * s : b + (2 * s - 1) - b * (2 * s - 1)
    case "soft-light":
      s <= 0.5
        ? b - (1 - 2 * s) * b * (1 - b)
        : b + (2 * s - 1) * ((b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()) - b)
    case "difference": abs(b - s)
    case "exclusion": b + s - 2 * b * s
    default: s
    }
  }

  private static let hard: Set = ["colour-dodge", "colour-burn"]

  @Test("a blend of opaque images is its formula", arguments: Layer.blends.filter { $0 != "add" })
  func blends(name: String) throws {
    let base = Raster.noise(16, 12, seed: 71)
    let layer = Raster.noise(16, 12, seed: 72)
    let result = try applied("overlay:x:blend=\(name)", to: base, context: Self.context(layer))
    let expected = base.map { Self.blend(name, base[$0, $1, $2] / 255, layer[$0, $1, $2] / 255) * 255 }
    #expect(result.bands == 3)
    #expect(
      result.distance(to: expected) <= (Self.hard.contains(name) ? 3 : 1.5),
      "\(result.distance(to: expected))")
  }

  @Test("of what is in part transparent each counts for its part")
  func alphas() throws {
    let base = Raster.noise(16, 12, bands: 4, clear: true, seed: 73)
    let layer = Raster.noise(16, 12, bands: 4, clear: true, seed: 74)
    for opacity in [1.0, 0.5, 0] {
      let result = try applied(
        "overlay:x:opacity=\(opacity):blend=over", to: base, context: Self.context(layer))
      let expected = base.map { x, y, band in
        let under = base[x, y, 3] / 255
        let over = (layer[x, y, 3] * opacity).rounded() / 255
        let alpha = over + under - over * under
        guard band < 3 else { return alpha * 255 }
        let (b, s) = (base[x, y, band] / 255, layer[x, y, band] / 255)
        let mixed = (1 - under) * s + under * Self.blend("over", b, s)
        return alpha == 0 ? 0 : (over * mixed + (1 - over) * under * b) / alpha * 255
      }
      #expect(
        result.distance(to: expected, least: 24) <= 3,
        "\(opacity): \(result.distance(to: expected, least: 24))")
    }
  }

  @Test("adding is adding, up to white")
  func add() throws {
    let base = Raster.noise(16, 12, seed: 75)
    let layer = Raster.noise(16, 12, seed: 76)
    let result = try applied("overlay:x:blend=add", to: base, context: Self.context(layer))
    #expect(result.distance(to: base.map { min(255, base[$0, $1, $2] + layer[$0, $1, $2]) }) <= 1)
  }

  @Test(
    "a part without the layer has the same bytes alone as in the whole image",
    arguments: [
      "overlay:x:southeast", "overlay:x:southeast:blend=multiply", "text:Hi:size=12:gravity=southeast",
    ])
  func parts(chain: String) throws {
    let noise = Raster.noise(120, 60, bands: 4, seed: 86)
    // Colors that no viewer shows.
    let base = noise.map { x, y, band in band == 3 && (x + y) % 3 == 0 ? 0 : noise[x, y, band] }
    let context = try Self.context(Raster.noise(16, 12, bands: 4, seed: 87))
    let whole = try applied(chain, to: base, context: context)
    let part = try applied("\(chain),crop:50x50+0+0", to: base, context: context)
    let expected = Raster(width: 50, height: 50, bands: 4) { whole[$0, $1, $2] }
    #expect(part.values == expected.values)
  }

  @Test("images of different depths meet in that of the one below")
  func depths() throws {
    let base = Raster.noise(16, 12, bands: 4, seed: 77)
    let layer = Raster.noise(9, 5, bands: 4, seed: 78)
    let expected = try applied("overlay:x", to: base, context: Self.context(layer))
    for (deep, layerDeep) in [(true, true), (true, false), (false, true)] {
      let result = try applied(
        "overlay:x", to: base, deep: deep, context: Self.context(layer, deep: layerDeep))
      #expect(result.distance(to: expected) <= 1.5, "\(deep) \(layerDeep)")
    }
  }

  @Test("a scale is of the layer's own size")
  func scale() throws {
    let base = Raster(width: 30, height: 20, bands: 3) { _, _, _ in 0 }
    let layer = Raster(width: 4, height: 6, bands: 3) { _, _, _ in 255 }
    for (scale, width, height) in [(1.0, 4, 6), (2, 8, 12), (0.5, 2, 3), (0.001, 1, 1), (10, 30, 20)] {
      let result = try applied(
        "overlay:x:northwest:scale=\(Number.text(scale))", to: base, context: Self.context(layer))
      let lit = result.values.count { $0 > 250 } / 3
      #expect(lit == width * height, "\(scale)")
    }
  }

  @Test("a mask's light is the alpha, times its own")
  func mask() throws {
    for (bands, maskBands) in [(3, 3), (4, 3), (3, 4), (4, 4)] {
      let base = Raster.noise(16, 12, bands: bands, clear: true, seed: 79)
      let mask = Raster.noise(16, 12, bands: maskBands, clear: true, seed: 80)
      let result = try applied("mask:x", to: base, context: Self.context(mask))
      let expected = Raster(width: 16, height: 12, bands: 4) { x, y, band in
        guard band == 3 else { return base[x, y, band] }
        let light = 0.2126 * mask[x, y, 0] + 0.7152 * mask[x, y, 1] + 0.0722 * mask[x, y, 2]
        return light * (maskBands == 4 ? mask[x, y, 3] / 255 : 1) * (bands == 4 ? base[x, y, 3] / 255 : 1)
      }
      #expect(zip(result.values, expected.values).allSatisfy { abs($0 - $1) <= 1.1 }, "\(bands) \(maskBands)")
    }
    // Scaled to the image's size.
    let half = Raster(width: 2, height: 1, bands: 3) { x, _, _ in x == 0 ? 0 : 255 }
    let result = try applied("mask:x", to: Raster.noise(40, 10, seed: 81), context: Self.context(half))
    #expect(result[2, 5, 3] < 20 && result[37, 5, 3] > 235)
  }

  @Test("only a first frame is laid over each frame", arguments: ["overlay:x:northwest", "mask:x"])
  func animations(chain: String) throws {
    let pages = [Raster.noise(12, 9, seed: 82), Raster.noise(12, 9, seed: 83)]
    let tall = try VipsImage.stacked(pages.map { try $0.image() }).editingMetadata { editor in
      editor.set("page-height", 9)
      editor.set("delay", [70, 90])
      editor.set("loop", 3)
    }
    let context = try Self.context(Raster.noise(12, 9, seed: 84))
    let animated = FilterContext { (_: String) throws(FilterError) -> VipsImage in tall }
    let made = try FilterChain(parsing: chain).apply(to: tall, context: context)
    #expect(made.pageCount == 2 && made.integers("delay") == [70, 90] && made.integer("loop") == 3)
    let alone = try pages.flatMap {
      try FilterChain(parsing: chain).apply(to: $0.image(), context: context).pixels()
    }
    #expect(try made.pixels() == alone)
    // The animation's own first frame.
    let first = try Self.context(pages[0])
    let still = try applied(chain, to: pages[1], context: first)
    #expect(try applied(chain, to: pages[1], context: animated).values == still.values)
  }

  @Test(
    "a source that isn't there is an error that names it",
    arguments: ["overlay:logo", "mask:logo", "transition:logo"])
  func missing(chain: String) {
    let error = #expect(throws: FilterError.self) { try applied(chain, to: Raster.noise(4, 4, seed: 85)) }
    #expect(error?.code == .failed && error?.message.contains("logo") == true)
  }
}

@Suite("Transitions", .timeLimit(.minutes(8)))
struct TransitionTests {
  private let from = Raster.noise(14, 10, bands: 4, seed: 91)
  private let target = Raster.noise(14, 10, bands: 4, seed: 92)

  private func animation(_ arguments: String) throws -> VipsImage {
    let image = try from.image()
    let context = FilterContext { (_: String) throws(FilterError) -> VipsImage in image }
    return try FilterChain(parsing: "transition:x:\(arguments)").apply(to: target.image(), context: context)
  }

  private func frame(_ animation: VipsImage, _ index: Int) throws -> Raster {
    try Raster(animation.cropped(x: 0, y: index * 10, width: 14, height: 10))
  }

  @Test(
    "have as many frames as their time has room for, whose delays sum to it, and are 10 ms at least",
    arguments: [
      (400, 30, 12), (1, 1, 2), (19, 60, 2), (20, 60, 2), (1000, 1, 2), (999, 60, 60), (33, 60, 2),
      (250, 10, 3), (101, 30, 3),
    ])
  func counts(duration: Int, rate: Int, frames: Int) throws {
    #expect(Transition.frameCount(duration: duration, rate: rate) == frames)
    let chain = try FilterChain(parsing: "transition:x:crossdissolve:\(duration)ms:\(rate)")
    #expect(chain.frameCount == frames)
    let made = try animation("crossdissolve:\(duration)ms:\(rate)")
    #expect(made.pageCount == frames && made.pageHeight == 10)
    let delays = made.integers("delay") ?? []
    #expect(
      delays.count == frames && delays.reduce(0, +) == max(duration, 20)
        && (delays.max() ?? 0) - (delays.min() ?? 0) <= 1 && delays.allSatisfy { $0 >= 10 })
    #expect(made.integer("loop") == 1)
  }

  @Test("begin with the one and end with the other", arguments: Transition.Kind.allCases.map(\.rawValue))
  func ends(kind: String) throws {
    let made = try animation("\(kind):300ms:30")
    #expect(try frame(made, 0).values == from.values)
    #expect(try frame(made, made.pageCount - 1).values == target.values)
  }

  @Test("dissolve evenly, in premultiplied colors")
  func dissolve() throws {
    let made = try animation("crossdissolve:500ms:10")
    #expect(made.pageCount == 5)
    let (first, last) = (from.premultiplied(), target.premultiplied())
    for index in 0..<5 {
      let part = Double(index) / 4
      let expected = first.map { first[$0, $1, $2] * (1 - part) + last[$0, $1, $2] * part }.unpremultiplied()
      #expect(try frame(made, index).distance(to: expected) <= 1.1, "\(index)")
    }
  }

  @Test("flip about their axis: the middle is a line that is almost gone")
  func flip() throws {
    for kind in ["flip-left", "flip-right", "flip-top", "flip-bottom"] {
      let made = try animation("\(kind):1000ms:9")
      let alphas = try (0..<9).map { index in
        let frame = try frame(made, index)
        return stride(from: 3, to: frame.values.count, by: 4).reduce(0) { $0 + frame.values[$1] }
      }
      #expect(alphas[4] < alphas[0] / 10 && alphas[4] < alphas[8] / 10, "\(kind): \(alphas)")
      #expect(alphas[2] < alphas[0] && alphas[6] < alphas[8], "\(kind): \(alphas)")
    }
    // Left and right are mirrored for images that are.
    let even = Raster(width: 14, height: 10, bands: 4) { x, y, band in from[min(x, 13 - x), y, band] }
    let image = try even.image()
    let context = FilterContext { (_: String) throws(FilterError) -> VipsImage in image }
    let (left, right) = try (
      FilterChain(parsing: "transition:x:flip-left:1000ms:6").apply(to: image, context: context),
      FilterChain(parsing: "transition:x:flip-right:1000ms:6").apply(to: image, context: context)
    )
    for index in 0..<6 {
      let one = try frame(left, index)
      let other = try frame(right, index)
      let mirrored = other.map { x, y, band in other[13 - x, y, band] }
      #expect(one.distance(to: mirrored, least: 64) <= 4, "\(index)")
    }
  }

  @Test("of an animation are an error, and another image is filled into this one's size")
  func animationsAndSizes() throws {
    let image = try Raster.noise(50, 50, seed: 93).image()
    let context = FilterContext { (_: String) throws(FilterError) -> VipsImage in image }
    let chain = try FilterChain(parsing: "transition:x:crossdissolve:100ms:20")
    let made = try chain.apply(to: target.image(), context: context)
    let filled = try Raster(FilterChain(parsing: "fill:14x10").apply(to: image))
    let first = try frame(made, 0)
    #expect(
      filled.values.enumerated().allSatisfy { first.values[$0.offset / 3 * 4 + $0.offset % 3] == $0.element })
    let tall = try VipsImage.stacked([target.image(), target.image()]).editingMetadata {
      $0.set("page-height", 10)
    }
    #expect(throws: FilterError.self) { try chain.apply(to: tall, context: context) }
    #expect(throws: FilterError.self) {
      try FilterChain(parsing: "transition:x,transition:x").apply(to: target.image(), context: context)
    }
  }
}
