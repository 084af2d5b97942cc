import Glibc
import Testing
import Vips

@testable import ImageFilters

@Suite("Linear light", .timeLimit(.minutes(8)))
struct LinearLightTests {
  @Test("of every level is what the standard says, and comes back")
  func levels() throws {
    let raster = Raster(width: 256, height: 1, bands: 3) { x, _, _ in Double(x) }
    let light = try LinearLight.decoded(raster.image())
    #expect(light.format == .ushort && light.bands == 3)
    let numbers = try light.pixels().withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
    for level in 0..<256 {
      let encoded = Double(level) / 255
      let exact = encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4)
      #expect(abs(Double(numbers[level * 3]) - exact * Double(LinearLight.white)) <= 0.51, "\(level)")
    }
    #expect(try Raster(LinearLight.encoded(light)).values == raster.values)
  }

  @Test("is premultiplied by the alpha, and what can be seen comes back")
  func alphas() throws {
    let raster = Raster(width: 256, height: 255, bands: 4) { x, y, band in
      band == 3 ? Double(y + 1) : Double(x)
    }
    let back = try Raster(LinearLight.encoded(LinearLight.decoded(raster.image())))
    for alpha in [1, 8, 32, 128, 255] {
      for x in 0..<256 {
        #expect(back[x, alpha - 1, 3] == Double(alpha))
        // What is hardly there has few numbers left, above all where it is dark.
        if alpha >= 32, x >= 16 { #expect(abs(back[x, alpha - 1, 0] - Double(x)) <= 2, "\(x) of \(alpha)") }
        if alpha == 255 { #expect(back[x, 254, 1] == Double(x)) }
      }
    }
    let clear = Raster(width: 4, height: 4, bands: 4) { _, _, band in band == 3 ? 0 : 200 }
    #expect(try Raster(LinearLight.encoded(LinearLight.decoded(clear.image()))).values.allSatisfy { $0 == 0 })
  }

  @Test("is kept of 8 bits in sRGB alone")
  func kinds() throws {
    let raster = Raster.noise(4, 4, seed: 111)
    #expect(try LinearLight.represents(raster.image()))
    #expect(try LinearLight.represents(Raster.noise(4, 4, bands: 4, seed: 1).image()))
    #expect(try !LinearLight.represents(raster.image(deep: true)))
    #expect(try !LinearLight.represents(raster.image().converted(to: .linear)))
    #expect(try !LinearLight.represents(VipsImage.plain([1], width: 2, height: 2, interpretation: .gray)))
  }

  @Test(
    "gives 8 bits what it gives 16 bits, however that is computed",
    arguments: ["blur:2:linear=true", "blur:5:extend:true"])
  func depths(chain: String) throws {
    for bands in [3, 4] {
      let raster = Raster.noise(30, 24, bands: bands, seed: 112)
      let (shallow, deep) = (try applied(chain, to: raster), try applied(chain, to: raster, deep: true))
      #expect(
        shallow.distance(to: deep, least: 64) <= 3, "\(bands) bands: \(shallow.distance(to: deep, least: 64))"
      )
    }
  }
}

@Suite("Images between filters", .timeLimit(.minutes(8)))
struct IntermediateTests {
  @Test("are kept where a filter reads again what costs something to make")
  func keeping() {
    for (reading, source, isKept) in [
      (FilterDefinition.Reading.once, Intermediate.Source.kept, false), (.once, .decoder, false),
      (.once, .filter, false),
      (.overlapping, .kept, false), (.overlapping, .decoder, false), (.overlapping, .filter, true),
      (.anywhere, .kept, false), (.anywhere, .decoder, true), (.anywhere, .filter, true),
    ] {
      #expect(Intermediate.isKept(for: reading, from: source) == isKept, "\(reading) \(source)")
    }
  }

  @Test("have their pixels at hand once they are kept")
  func kept() throws {
    let lazy = try Raster.noise(20, 20, seed: 121).image().applying("invert")
    let intermediate = Intermediate(lazy)
    #expect(intermediate.source == .filter)
    let kept = try intermediate.kept(in: PixelStorage())
    #expect(kept.source == .kept && kept.image.isAtHand)
    #expect(try kept.image.pixels() == lazy.pixels())
    #expect(Intermediate(kept.image).source == .kept)
    #expect(try kept.kept(in: PixelStorage()).image === kept.image)
    // Without memory, in a file.
    let file = try PixelStorage(memory: 0).keeping(lazy)
    #expect(try file.isAtHand && file.pixels() == lazy.pixels())
    #expect(throws: VipsError.self) { try PixelStorage(memory: 0, directory: "/nonexistent").keeping(lazy) }
  }

  @Test(
    "give every filter's result in a file that they give in memory", arguments: FilterTable.all.map(\.example)
  )
  func storage(example: String) throws {
    let chain = try FilterChain(parsing: example)
    let image = try TestImage.gradient(150, 110, alpha: true)
    var context = FilterPropertyTests.context
    let expected = try chain.apply(to: image, context: context).pixels()
    context.storage = PixelStorage(memory: 0)
    #expect(try chain.apply(to: image, context: context).pixels() == expected)
  }

  @Test("are seen by a probe, step by step")
  func probes() throws {
    let chain = try FilterChain(parsing: "scale:10x10,flip,extend:1")
    var context = FilterContext()
    context.probe = { step, image in
      // Each step's result in one color.
      try image.filled(with: image.bands == 4 ? [Double(step), 0, 0, 255] : [Double(step), 0, 0])
    }
    let result = try chain.apply(to: TestImage.gradient(20, 20), context: context)
    #expect(result.width == 12 && result.height == 12)
    #expect(try TestImage.pixel(result, 0, 0) == [2, 0, 0, 255])
  }

  @Test("are tiles of the same pixels")
  func tiles() throws {
    let image = try Raster.noise(300, 290, seed: 122).image()
    #expect(try image.computedInTiles().pixels() == image.pixels())
    #expect(try image.computedInBands().pixels() == image.pixels())
  }
}

@Suite("Forecasts", .timeLimit(.minutes(8)))
struct ForecastTests {
  private let frame = FrameForecast(extent: Size(width: 100, height: 50), bands: 3, isDeep: false)

  @Test("count the bytes of frames and of images that a chain names")
  func bytes() {
    #expect(frame.samples == 15_000 && frame.bytes == 15_000 && !frame.hasAlpha)
    let deep = FrameForecast(
      extent: Size(width: 10, height: 10), bands: 2, isDeep: true,
      images: ["a": Size(width: 3, height: 2)])
    #expect(deep.bytes == 400 && deep.hasAlpha)
    #expect(deep.imageBytes("a") == 24 && deep.imageBytes("unknown") == 400)
    #expect(deep.grown(by: 5) == 400 && deep.grown(by: 0) == 100)
  }

  @Test("foretell an alpha, and keep one that there is")
  func alphas() throws {
    for (text, bands) in [
      ("circle", 4), ("flip", 3), ("extend:3", 4), ("pad:9x9", 4), ("opacity:1", 4), ("mask:x", 4),
      ("grayscale", 3), ("blur:2", 4),
    ] {
      let step = try FilterChain(parsing: text).forecast(0, of: frame, from: .kept)
      #expect(step.frame.bands == bands, "\(text)")
      var with = frame
      with.bands = 4
      #expect(try FilterChain(parsing: text).forecast(0, of: with, from: .kept).frame.bands == 4, "\(text)")
    }
  }

  @Test("say what is kept for a filter that reads again, by where the pixels come from")
  func kept() throws {
    for (text, fromDecoder, fromFilter) in [
      ("grayscale", false, false), ("scale:50x50", false, true), ("blur:3", true, true), ("flip", true, true),
      ("flop", false, false),
    ] {
      let chain = try FilterChain(parsing: text)
      #expect(try chain.forecast(0, of: frame, from: .decoder).keepsInput == fromDecoder, "\(text)")
      #expect(try chain.forecast(0, of: frame, from: .filter).keepsInput == fromFilter, "\(text)")
      #expect(try !chain.forecast(0, of: frame, from: .kept).keepsInput, "\(text)")
    }
  }

  @Test("grow with the frame, for every filter", arguments: FilterTable.all.map(\.example))
  func monotone(example: String) throws {
    let chain = try FilterChain(parsing: example)
    var last = -1.0
    for side in [200, 400, 800, 1600] {
      let large = FrameForecast(extent: Size(width: side, height: side), bands: 4, isDeep: true)
      let step = try chain.forecast(0, of: large, from: .kept)
      #expect(step.kept >= last && step.kept >= 0 && step.kept.isFinite)
      #expect(step.frame.extent.width >= 1 && step.frame.extent.height >= 1)
      last = step.kept
    }
  }
}
