import Testing

@testable import Vips

@Suite("libvips by name", .timeLimit(.minutes(8)))
struct OperationTests {
  @Test("an operation, an argument and a value that libvips lacks are named")
  func complaints() throws {
    let dot = try VipsImage.plain([1], width: 1, height: 1)
    func failure(_ name: String, _ arguments: VipsArguments) -> String {
      do {
        _ = try VipsOperation(name, arguments)
        return ""
      } catch { return error.description }
    }
    #expect(failure("no-such-thing", [:]).contains("without the operation no-such-thing"))
    #expect(failure("avg", ["in": .image(dot), "speed": 1]).contains("no argument 'speed'"))
    #expect(failure("avg", ["in": 3]).contains("VipsImage"))
    #expect(failure("resize", ["in": .image(dot), "scale": 2.0, "kernel": "round"]).contains("'round'"))
    #expect(
      failure("rot", ["in": .image(dot)]).contains("angle")
        || failure("rot", ["in": .image(dot)]).contains("rot"))
    #expect(failure("jpegsave", ["in": .image(dot), "filename": "/x", "Q": 101]).contains("Q"))
  }

  @Test("pixels come back as they were put in")
  func memory() throws {
    let bytes = (0..<24).map { UInt8($0 * 10) }
    let image = try VipsImage(pixels: bytes, width: 4, height: 2, bands: 3, interpretation: .sRGB)
    #expect(try image.pixels() == bytes)
    #expect(image.interpretation == .sRGB && image.bands == 3 && !image.hasAlpha)
    #expect(throws: VipsError.self) { try VipsImage(pixels: bytes, width: 5, height: 2, bands: 3) }
  }

  @Test("bytes that libvips reads long after the call are still there")
  func lazyBuffers() throws {
    let wave = try VipsImage.plain([10, 20, 30], width: 64, height: 64)
    let saved = try VipsOperation("pngsave_buffer", ["in": .image(wave)]).bytes("buffer")
    func open() throws -> VipsImage { try VipsOperation("pngload_buffer", ["buffer": .bytes(saved)]).image() }
    let image = try open()
    // Whatever freed memory there is gets other things in it.
    let noise = (0..<64).map { _ in [UInt8](repeating: 0xff, count: saved.count) }
    #expect(noise.count == 64)
    #expect(try image.pixels() == wave.pixels())
  }

  @Test("a failing operation's words are its own")
  func words() throws {
    let image = try VipsImage.plain([1], width: 4, height: 4)
    let error = #expect(throws: VipsError.self) { try image.cropped(x: 3, y: 0, width: 4, height: 4) }
    #expect(error?.operation == "extract_area")
    #expect(error?.text.contains("bad extract area") == true)
  }
}

@Suite("Signatures", .timeLimit(.minutes(8)))
struct SignatureTests {
  @Test(
    "a format is told by its first bytes",
    arguments: [
      ("/9j/4AAQ", ImageFormat.jpeg), ("R0lGODlh", .gif), ("JVBERi0xLjQ=", .pdf), ("P/8=", nil),
    ] as [(String, ImageFormat?)])
  func signatures(base64: String, format: ImageFormat?) {
    #expect(ImageFormat(signature: Self.decoded(base64)) == format)
  }

  @Test("ISO media files are told apart by their brands")
  func brands() {
    func file(_ brands: String...) -> [UInt8] {
      let body =
        Array("ftyp".utf8) + Array(brands[0].utf8) + [0, 0, 0, 0]
        + brands.dropFirst().flatMap { Array($0.utf8) }
      return [0, 0, 0, UInt8(body.count + 4)] + body
    }
    #expect(ImageFormat(signature: file("avif", "mif1")) == .avif)
    #expect(ImageFormat(signature: file("mif1", "avif")) == .avif)
    #expect(ImageFormat(signature: file("heic", "mif1")) == .heic)
    #expect(ImageFormat(signature: file("isom", "mp42")) == nil)
    #expect(NonImageContent(head: file("isom", "mp42")) == .video)
  }

  @Test("SVG is SVG, and HTML with an SVG in it is HTML")
  func markup() {
    #expect(ImageFormat(signature: Array("<?xml version='1.0'?><!-- x --><svg/>".utf8)) == .svg)
    let page = Array("\n<!DOCTYPE HTML><html><svg/></html>".utf8)
    #expect(ImageFormat(signature: page) == nil)
    #expect(NonImageContent(head: page) == .html)
  }

  private static func decoded(_ base64: String) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var bits = 0
    var count = 0
    var result: [UInt8] = []
    for character in base64.utf8 {
      guard let value = alphabet.firstIndex(of: character) else { break }
      bits = bits << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        result.append(UInt8(bits >> count & 255))
      }
    }
    return result
  }
}
