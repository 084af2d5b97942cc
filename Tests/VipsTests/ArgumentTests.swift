import Testing

@testable import Vips

@Suite("Arguments of operations", .timeLimit(.minutes(8)))
struct ArgumentTests {
  @Test("of the declared type are taken, and of any other are refused by name")
  func types() throws {
    let image = try Sample.image(4, 4)
    let values: [(kind: String, value: VipsValue)] = [
      ("boolean", .boolean(true)), ("integer", .integer(3)), ("double", .double(1.5)),
      ("string", .string("x")),
      ("nick", .nick("copy")), ("doubles", .doubles([1, 2])), ("integers", .integers([0, 0, 4, 4])),
      ("image", .image(image)), ("images", .images([image])), ("interpolator", .interpolator("bilinear")),
      ("bytes", .bytes([1, 2, 3])),
    ]
    let properties: [(operation: String, name: String, takes: Set<String>)] = [
      ("affine", "interpolate", ["interpolator"]), ("affine", "oarea", ["integers"]),
      ("affine", "odx", ["integer", "double"]), ("affine", "premultiplied", ["boolean"]),
      ("affine", "matrix", ["doubles", "integers"]), ("affine", "in", ["image"]),
      ("bandjoin", "in", ["images"]), ("pngload", "filename", ["string"]),
      ("pngload_buffer", "buffer", ["bytes"]), ("embed", "width", ["integer"]),
      ("linear", "a", ["doubles", "integers"]), ("black", "bands", ["integer"]),
    ]
    for property in properties {
      for (kind, value) in values {
        let error = PropertySetting.failure(property.operation, property.name, value)
        if property.takes.contains(kind) {
          #expect(error == nil, "\(property): \(kind): \(String(describing: error))")
        } else {
          #expect(error?.operation == property.operation, "\(property): \(kind)")
          #expect(error?.text.contains(property.name) == true, "\(property): \(kind)")
        }
      }
    }
  }

  @Test(
    "that are numbers have their ranges",
    arguments: [
      ("black", "width", VipsValue.integer(0), false), ("black", "width", .integer(1), true),
      ("black", "width", .integer(-1), false), ("black", "width", .integer(Int.max), false),
      ("black", "width", .integer(1 << 31), false), ("black", "bands", .integer(0), false),
      ("gaussblur", "sigma", .double(-1), false), ("gaussblur", "sigma", .double(2), true),
      ("gaussblur", "sigma", .integer(2), true), ("gaussblur", "sigma", .double(1e9), false),
      ("resize", "scale", .double(-3), false),
      ("embed", "x", .integer(-5), true), ("embed", "width", .integer(0), false),
    ])
  func ranges(operation: String, name: String, value: VipsValue, isTaken: Bool) {
    let error = PropertySetting.failure(operation, name, value)
    #expect((error == nil) == isTaken, "\(String(describing: error))")
    if !isTaken { #expect(error?.text.contains(name) == true) }
  }

  @Test("that are enumerations are taken by every nickname that libvips has, as nick or as text")
  func enumerations() throws {
    for nick in ["nearest", "linear", "cubic", "mitchell", "lanczos2", "lanczos3"] {
      for value in [VipsValue.nick(nick), .string(nick)] {
        #expect(PropertySetting.failure("resize", "kernel", value) == nil, "\(nick)")
      }
    }
    for nick in ["", "Lanczos3", "lanczos", "3"] {
      let error = PropertySetting.failure("resize", "kernel", .nick(nick))
      #expect(error?.text.contains("'\(nick)'") == true, "\(String(describing: error))")
    }
  }

  @Test("that are flags are taken as a number, and no number below 0 is")
  func flags() throws {
    let image = try Sample.image(4, 4)
    for (value, isTaken) in [(0, true), (8, true), (-1, false)] {
      let error = Sample.failure {
        _ = try VipsOperation("pngsave_buffer", ["in": .image(image), "filter": .integer(value)])
      }
      #expect((error == nil) == isTaken, "\(value): \(String(describing: error))")
    }
  }

  @Test("that libvips doesn't know are named, before anything is done")
  func unknown() throws {
    let image = try Sample.image(4, 4)
    for name in ["speed", "In", "in ", "", "out2"] {
      let error = Sample.failure { _ = try VipsOperation("invert", ["in": .image(image), name: 3]) }
      #expect(error?.text.contains("'\(name)'") == true, "\(name)")
      #expect(error?.operation == "invert")
    }
  }

  @Test("that are arrays reach libvips whole")
  func arrays() throws {
    let image = try Sample.image(6, 4, bands: 4)
    let numbers = Sample.numbers(6, 4, 4)
    let factors = [2.0, 0.5, -1, 3]
    let offsets = [1.0, 2, 3, 4]
    let result = try image.applying("linear", ["a": .doubles(factors), "b": .doubles(offsets)])
    let expected = numbers.enumerated().map { $0.element * factors[$0.offset % 4] + offsets[$0.offset % 4] }
    #expect(try Sample.numbers(of: result) == expected)
    // Whole numbers where an operation declares fractions.
    let whole = try image.applying("linear", ["a": .integers([2, 1, 3, 4]), "b": .integers([0, 0, 0, 0])])
    #expect(
      try Sample.numbers(of: whole)
        == numbers.enumerated().map { $0.element * [2, 1, 3, 4][$0.offset % 4] })
    let joined = try VipsOperation("bandjoin", ["in": .images([image, image, image])]).image()
    #expect(joined.bands == 12)
  }

  @Test("that are bytes are copied: the array may be gone before they are read")
  func blobs() throws {
    let image = try Sample.image(50, 40)
    func open() throws -> VipsImage {
      var saved = try Sample.file(image, as: "png")
      let loaded = try Sample.loaded(saved, as: "png")
      for index in saved.indices { saved[index] = 0 }
      return loaded
    }
    #expect(try open().pixels() == image.pixels())
    #expect(throws: VipsError.self) { try Sample.loaded([], as: "png") }
  }

  @Test("that are booleans mean what they say")
  func booleans() throws {
    let image = try Sample.image(30, 20)
    let plain = try Sample.file(image, as: "png", ["interlace": false])
    let interlaced = try Sample.file(image, as: "png", ["interlace": true])
    // The header's thirteenth byte is the interlace method.
    #expect(plain[28] == 0 && interlaced[28] == 1)
  }

  @Test("that are text reach libvips in UTF-8")
  func text() {
    let name = "/no/such/directory/déjà vu 日本.png"
    let error = Sample.failure { _ = try VipsOperation("pngload", ["filename": .string(name)]) }
    #expect(error?.text.contains("déjà vu 日本.png") == true)
  }

  @Test("by name: the last one counts, nil takes one away, and merging keeps what the other doesn't name")
  func lists() {
    var arguments: VipsArguments = ["a": 1, "b": 2.5, "c": "x", "d": true]
    #expect(arguments.values.map(\.name) == ["a", "b", "c", "d"])
    guard case .integer(1)? = arguments["a"], case .double(2.5)? = arguments["b"],
      case .string("x")? = arguments["c"], case .boolean(true)? = arguments["d"]
    else {
      Issue.record("a literal is of another kind")
      return
    }
    arguments["b"] = 7
    arguments["a"] = nil
    arguments["none"] = nil
    #expect(arguments.values.map(\.name) == ["c", "d", "b"])
    let merged = arguments.merging(["d": false, "e": .nick("over")])
    #expect(merged.values.map(\.name) == ["c", "b", "d", "e"])
    guard case .boolean(false)? = merged["d"], case .integer(7)? = merged["b"] else {
      Issue.record("merging lost a value")
      return
    }
    #expect(merged["a"] == nil && arguments["e"] == nil)
  }
}
