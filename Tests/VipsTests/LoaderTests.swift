import Glibc
import Testing

@testable import Vips

@Suite("Loaders", .timeLimit(.minutes(8)))
struct LoaderTests {
  /// A file that is gone with the test.
  private final class File {
    let path: String

    init(_ bytes: [UInt8]) throws {
      var template = Array("/tmp/imagemill-loader-XXXXXX".utf8CString)
      let descriptor = mkstemp(&template)
      try #require(descriptor >= 0)
      defer { close(descriptor) }
      path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      try #require(write(descriptor, bytes, bytes.count) == bytes.count)
    }

    deinit { unlink(path) }
  }

  @Test("are libvips' operations, wherever this libvips has the format at all")
  func names() throws {
    for format in ImageFormat.allCases {
      let loader = Loader(format)
      #expect(loader.nickname.hasSuffix("load"), "\(format)")
      #expect(loader.strictness == (format == .jpeg ? "warning" : "error"))
    }
    for format in [ImageFormat.jpeg, .png, .webp, .gif, .tiff] {
      #expect(try VipsRuntime.hasOperation(Loader(format).nickname), "\(format)")
    }
  }

  @Test("are blocked by name until they are let again")
  func blocked() throws {
    // Of a format that no other test reads: what is blocked is blocked in the whole process.
    let file = try File(Array("0,50\n100,150\n".utf8))
    let name = "VipsForeignLoadCsv"
    func pixels() throws -> [UInt8] {
      try VipsOperation("csvload", ["filename": .string(file.path)]).image().cast(to: .uchar).pixels()
    }
    try VipsRuntime.setBlocked(true, operation: name)
    #expect(throws: VipsError.self) { try pixels() }
    try VipsRuntime.setBlocked(false, operation: name)
    #expect(try pixels() == [0, 50, 100, 150])
  }

  @Test("read a file by its content, whatever its name", arguments: ["png", "webp", "tiff", "gif"])
  func content(format: String) throws {
    let image = try VipsImage.plain([200, 30, 60], width: 40, height: 30)
    let file = try File(Sample.file(image, as: format, format == "webp" ? ["lossless": true] : [:]))
    let loader = Loader(try #require(ImageFormat(rawValue: format)))
    for sequential in [false, true] {
      let loaded = try loader.open(file.path, sequential: sequential)
      #expect(loaded.width == 40 && loaded.height == 30)
      #expect(try loaded.extractingBands(from: 0, count: 3).pixels() == image.pixels())
    }
    #expect(throws: VipsError.self) { try Loader(.jpeg).open(file.path, sequential: true) }
  }

  @Test(
    "shrink a JPEG by the factors that it can",
    arguments: [(1.0, 160, 120), (0.5, 80, 60), (0.25, 40, 30), (0.125, 20, 15)])
  func shrinking(scale: Double, width: Int, height: Int) throws {
    let image = try VipsImage.plain([200, 30, 60], width: 160, height: 120)
    let file = try File(Sample.file(image, as: "jpeg"))
    #expect(Loader(.jpeg).shrinking == .factor)
    let loaded = try Loader(.jpeg).open(file.path, sequential: true, scale: scale)
    #expect(loaded.width == width && loaded.height == height)
    for pixel in try loaded.pixels().chunked(3) {
      #expect(zip(pixel, [200, 30, 60]).allSatisfy { abs(Int($0) - $1) <= 3 }, "\(pixel)")
    }
  }

  @Test("scale a WebP by any factor, and a PNG not at all", arguments: [0.9, 0.5, 0.3])
  func scaling(scale: Double) throws {
    let image = try VipsImage.plain([200, 30, 60], width: 100, height: 60)
    #expect(Loader(.webp).shrinking == .scale && Loader(.png).shrinking == .none)
    let file = try File(Sample.file(image, as: "webp"))
    #expect(try Loader(.webp).open(file.path, sequential: true).width == 100)
    let scaled = try Loader(.webp).open(file.path, sequential: true, scale: scale)
    #expect(abs(Double(scaled.width) - 100 * scale) <= 1 && abs(Double(scaled.height) - 60 * scale) <= 1)
    let plain = try File(Sample.file(image, as: "png"))
    #expect(try Loader(.png).open(plain.path, sequential: true, scale: scale).width == 100)
  }

  @Test("read as many frames as are asked for, and one unless any are")
  func frames() throws {
    let pages = try (0..<4).map { try VipsImage.plain([Double($0 * 60), 0, 0], width: 20, height: 10) }
    let tall = try VipsImage.stacked(pages).editingMetadata {
      $0.set("page-height", 10)
      $0.set("delay", [100, 200, 300, 400])
    }
    for format in ["gif", "webp"] {
      let file = try File(Sample.file(tall, as: format))
      let loader = Loader(try #require(ImageFormat(rawValue: format)))
      #expect(loader.hasFrames)
      #expect(try loader.open(file.path, sequential: true).height == 10)
      let all = try loader.open(file.path, sequential: false, frames: 4)
      #expect(all.height == 40 && all.pageHeight == 10 && all.pageCount == 4)
      #expect(all.integers("delay")?.prefix(4) == [100, 200, 300, 400])
      #expect(try loader.open(file.path, sequential: true, frames: 2).pageCount == 2)
    }
    #expect(!Loader(.png).hasFrames && !Loader(.jpeg).hasFrames)
  }

  @Test("fail on damage as strictly as they are told", arguments: [ImageFormat.jpeg, .png])
  func damage(format: ImageFormat) throws {
    let image = try Sample.image(200, 160, interpretation: .sRGB)
    let whole = try Sample.file(image, as: format.rawValue)
    let file = try File(Array(whole.prefix(whole.count * 2 / 3)))
    let loader = Loader(format)
    #expect(throws: VipsError.self, "\(format)") {
      _ = try loader.open(file.path, sequential: true, failOn: loader.strictness).pixels()
    }
    // What there is of it is shown to whoever puts up with it.
    let tolerant = try loader.open(file.path, sequential: true, failOn: "none")
    #expect(try tolerant.pixels().count == 200 * 160 * 3)
    #expect(throws: VipsError.self) { try loader.open(file.path, sequential: true, failOn: "sometimes") }
  }

  @Test("name the file that isn't there")
  func missing() {
    for format in [ImageFormat.jpeg, .png, .webp, .gif] {
      let error = Sample.failure { _ = try Loader(format).open("/no/such/image.xyz", sequential: true) }
      #expect(error?.operation == Loader(format).nickname)
      if error?.isCertain == true { #expect(error?.text.contains("/no/such/image.xyz") == true) }
    }
  }
}

extension [UInt8] {
  fileprivate func chunked(_ count: Int) -> [ArraySlice<UInt8>] {
    stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min(self.count, $0 + count)] }
  }
}
