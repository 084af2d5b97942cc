import Testing

@testable import Vips

@Suite("Results of operations", .timeLimit(.minutes(8)))
struct OperationOutputTests {
  @Test("numbers are what the pixels make")
  func numbers() throws {
    let image = try Sample.image(9, 7, bands: 1)
    let numbers = Sample.numbers(9, 7, 1)
    let mean = numbers.reduce(0, +) / Double(numbers.count)
    #expect(abs(try VipsOperation("avg", ["in": .image(image)]).double() - mean) < 1e-9)
    #expect(try image.measuring("max") == numbers.max())
    #expect(try image.measuring("min") == numbers.min())
    let deviation = (numbers.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(numbers.count - 1))
      .squareRoot()
    #expect(abs(try image.measuring("deviate") - deviation) < 1e-6)
    let largest = try VipsOperation("max", ["in": .image(image)])
    let (x, y) = (try largest.integer("x"), try largest.integer("y"))
    #expect(numbers[y * 9 + x] == numbers.max())
  }

  @Test("a point's numbers are a list, one for each band", arguments: 1...5)
  func points(bands: Int) throws {
    let image = try Sample.image(8, 6, bands: bands)
    let numbers = Sample.numbers(8, 6, bands)
    for (x, y) in [(0, 0), (7, 0), (0, 5), (7, 5), (3, 2)] {
      let point = try VipsOperation("getpoint", ["in": .image(image), "x": .integer(x), "y": .integer(y)])
      let start = (y * 8 + x) * bands
      #expect(try point.doubles("out-array") == Array(numbers[start..<start + bands]))
    }
    #expect(throws: VipsError.self) {
      try VipsOperation("getpoint", ["in": .image(image), "x": 8, "y": 0])
    }
  }

  @Test("several outputs of one operation can be taken, again and again")
  func several() throws {
    let framed = try VipsImage.plain([200], width: 10, height: 8).embedded(
      x: 4, y: 3, width: 20, height: 16)
    let found = try VipsOperation("find_trim", ["in": .image(framed), "background": .doubles([0])])
    for _ in 0..<3 {
      #expect(try found.integer("left") == 4 && found.integer("top") == 3)
      #expect(try found.integer("width") == 10 && found.integer("height") == 8)
    }
  }

  @Test("an output that an operation doesn't have is an error that names it")
  func missing() throws {
    let image = try Sample.image(4, 4)
    let inverted = try VipsOperation("invert", ["in": .image(image)])
    for attempt in [
      { _ = try inverted.image("outside") }, { _ = try inverted.double("outside") },
      { _ = try inverted.integer("outside") }, { _ = try inverted.doubles("outside") },
      { _ = try inverted.bytes("outside") },
    ] as [() throws -> Void] {
      let error = Sample.failure(attempt)
      #expect(error?.operation == "invert" && error?.text.contains("outside") == true)
    }
  }

  @Test("an image outlives its operation")
  func outlives() throws {
    func make() throws -> VipsImage {
      try VipsOperation("invert", ["in": .image(Sample.image(5, 5))]).image()
    }
    let image = try make()
    #expect(try Sample.numbers(of: image) == Sample.numbers(5, 5, 3).map { 255 - $0 })
  }

  @Test("the same operation on the same image isn't remembered: nothing is served from a cache")
  func noCache() throws {
    let image = try Sample.image(5, 5)
    let first = try image.applying("invert")
    let second = try image.applying("invert")
    #expect(first.pointer != second.pointer)
  }

  @Test("a saver's bytes are whole: what is saved without loss loads as it was")
  func bytes() throws {
    for bands in 1...4 {
      let image = try Sample.image(31, 17, bands: bands, interpretation: bands < 3 ? .gray : .sRGB)
      // WebP has three bands at least, and drops colors that can't be seen.
      for format in ["png", "tiff", "webp"] where format != "webp" || bands == 3 {
        let saved = try Sample.file(image, as: format, format == "webp" ? ["lossless": true] : [:])
        let loaded = try Sample.loaded(saved, as: format)
        #expect(try loaded.pixels() == image.pixels(), "\(format) of \(bands) bands")
        #expect(loaded.bands == bands && loaded.hasAlpha == image.hasAlpha)
      }
    }
  }

  @Test("libvips tells which operations it has")
  func operations() throws {
    for nickname in ["avg", "resize", "jpegload", "pngsave_buffer", "linear"] {
      #expect(try VipsRuntime.hasOperation(nickname), "\(nickname)")
    }
    for nickname in ["", "no-such-thing", "avg2", "resize "] {
      #expect(try !VipsRuntime.hasOperation(nickname), "\(nickname)")
      #expect(throws: VipsError.self) { try VipsOperation(nickname, [:]) }
    }
  }
}
