import Foundation
import ImageCaches
import Synchronization
import Testing

@testable import ImageRendering
@testable import Vips

/// Sources that end early, and images beside the source that do.
@Suite("Damaged images", .serialized, .timeLimit(.minutes(8)))
struct RenderingDamageTests {
  let fixture: RenderingFixture
  init() throws { fixture = try RenderingFixture() }

  private func animation(_ saver: String, _ name: String) throws -> [UInt8] {
    let pages = try (0..<5).map { page in
      try RenderingFixture.waves(40, 30).linear([1], [Double(page * 3)]).cast(to: .uchar)
    }
    let tall = try VipsImage.stacked(pages).editingMetadata {
      $0.set("page-height", 30)
      $0.set("delay", [50, 60, 70, 80, 90])
    }
    return try Array(Data(contentsOf: URL(filePath: fixture.save(tall, saver, name))))
  }

  @Test(
    "an animation that is cut off anywhere is no shorter animation",
    arguments: [("gifsave", "a.gif"), ("webpsave", "a.webp")])
  func cut(saver: String, name: String) throws {
    let bytes = try animation(saver, name)
    let whole = try Renderer().render(
      fixture.request(fixture.write(bytes, name), [fixture.recipe(1, "", "webp")]))
    #expect(whole.file(1)?.frames == 5)
    for end in stride(from: bytes.count - 1, to: 0, by: -max(1, bytes.count / 150)) {
      let path = try fixture.write(Array(bytes.prefix(end)), name)
      let response = try Renderer().render(fixture.request(path, [fixture.recipe(1, "", "webp")]))
      let error = try #require(response.failure(1), "\(end) of \(bytes.count)")
      #expect(error.stage == .decode, "\(end): \(error)")
      // Of the first bytes nobody knows what they begin.
      if end > 64 { #expect(error.code == .truncated, "\(end): \(error)") }
      #expect(throws: RenderError.self) { try ImageInspection(path: path) }
    }
  }

  @Test("what there is of it is used where that is asked for, with one sentence about it")
  func lenient() throws {
    let bytes = try animation("gifsave", "a.gif")
    let path = try fixture.write(Array(bytes.prefix(bytes.count * 2 / 3)), "a.gif")
    var request = try fixture.request(path, [fixture.recipe(1, "", "webp")])
    request.onCorrupt = .warn
    let response = Renderer().render(request)
    #expect((response.file(1)?.frames ?? 0) >= 1)
    #expect(response.warnings.count == 1)
  }

  @Test("a frame whose data end before its pixels is a damaged one")
  func shortFrame() throws {
    let bytes = try animation("gifsave", "a.gif")
    // The first image's data: after its descriptor, its palette and the size of its codes.
    let start = try #require(
      bytes.indices.first { bytes[$0] == 0x2C && bytes[$0 + 5] == 40 && bytes[$0 + 7] == 30 })
    let flags = bytes[start + 9]
    let data = start + 10 + (flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)) + 1
    var end = data
    while bytes[end] != 0 { end += 1 + Int(bytes[end]) }
    let short = Array(bytes[..<data]) + [20] + bytes[(data + 1)...(data + 20)] + bytes[end...]
    let path = try fixture.write(short, "a.gif")
    let response = try Renderer().render(fixture.request(path, [fixture.recipe(1, "", "png")]))
    #expect(response.failure(1)?.code == .truncated)
    #expect(response.failure(1)?.message.contains("frame 1") == true)
  }

  private static let withoutEnd = "the png file ends without its final chunk"

  @Test(
    "a PNG without its final chunk, or with a part of it, is used with a warning", arguments: [false, true])
  func withoutFinalChunk(isInterlaced: Bool) throws {
    let bytes = try Array(
      Data(
        contentsOf: URL(
          filePath: fixture.save(
            RenderingFixture.waves(300, 200), "pngsave", "a.png", ["interlace": .boolean(isInterlaced)]))))
    func render(_ bytes: [UInt8]) throws -> RenderResponse {
      try Renderer().render(
        fixture.request(fixture.write(bytes, "a.png"), [fixture.recipe(1, "fit:50x", "png")]))
    }
    let whole = try render(bytes)
    #expect(!whole.warnings.contains(Self.withoutEnd))
    for cut in 1...12 {
      let response = try render(Array(bytes.dropLast(cut)))
      #expect(response.file(1)?.digest == whole.file(1)?.digest, "\(cut)")
      #expect(response.warnings.contains(Self.withoutEnd), "\(cut): \(response.warnings)")
      let path = try fixture.write(Array(bytes.dropLast(cut)), "a.png")
      #expect(try ImageInspection(path: path).warnings.contains(Self.withoutEnd), "\(cut)")
    }
    #expect(try !render(bytes + [1, 2, 3]).warnings.contains(Self.withoutEnd))
    // Without its last pixels, it is damaged.
    for cut in [17, 60, bytes.count / 2] {
      let response = try render(Array(bytes.dropLast(cut)))
      #expect(response.failure(1)?.stage == .decode, "\(cut)")
      #expect(!response.warnings.contains(Self.withoutEnd))
    }
  }

  @Test("a PNG cut anywhere fails, or is used with a warning", arguments: [false, true])
  func cutAnywhere(isInterlaced: Bool) throws {
    let saved = try fixture.save(
      RenderingFixture.waves(60, 40), "pngsave", "a.png", ["interlace": .boolean(isInterlaced)])
    let bytes = try Array(Data(contentsOf: URL(filePath: saved)))
    var used = 0
    for cut in 1..<min(bytes.count - 40, 400) {
      let path = try fixture.write(Array(bytes.dropLast(cut)), "a.png")
      let response = try Renderer().render(fixture.request(path, [fixture.recipe(1, "fit:50x", "png")]))
      guard response.file(1) != nil else { continue }
      used += 1
      #expect(
        response.warnings.contains { $0.hasPrefix("the png file ends with") }, "\(cut): \(response.warnings)")
      #expect(
        try ImageInspection(path: path).warnings.contains { $0.hasPrefix("the png file ends with") }, "\(cut)"
      )
    }
    // The final chunk.
    #expect(used >= 12)
  }

  @Test("an overlay without its final chunk is used with a warning in its name")
  func overlayWithoutFinalChunk() throws {
    let source = try fixture.save(RenderingFixture.waves(200, 150), "pngsave", "a.png")
    let whole = try Data(
      contentsOf: URL(filePath: fixture.save(RenderingFixture.waves(20, 15), "pngsave", "logo.png")))
    let logo = try fixture.write(Array(whole.dropLast(12)), "logo.png")
    var request = try fixture.request(source, [fixture.recipe(1, "overlay:logo", "png")])
    request.auxiliary = [
      "logo": AuxiliarySource(.path(logo), digest: ContentDigest(hashing: whole), name: "brand/logo.png")
    ]
    let response = Renderer().render(request)
    #expect(response.file(1) != nil, "\(String(describing: response.failure(1)))")
    #expect(response.warnings.contains("brand/logo.png: " + Self.withoutEnd), "\(response.warnings)")
  }

  @Test("a file that the decoder can't open is unreadable, not damaged, and so isn't remembered as such")
  func unopened() throws {
    for (format, name) in [(ImageFormat.png, "a.png"), (.jpeg, "a.jpg"), (.webp, "a.webp"), (.tiff, "a.tif")]
    {
      do throws(VipsError) {
        _ = try Loader(format).open(fixture.directory + "/no/\(name)", sequential: true)
        Issue.record("\(name) was opened")
      } catch {
        let failure = DecodeFailure.error(error, format)
        #expect(failure.code == .unreadable && failure.message.contains("No such file"), "\(failure)")
      }
    }
  }

  @Test("a warning about a damaged JPEG is one line of valid text")
  func oneSentence() throws {
    let whole = try Array(
      Data(contentsOf: URL(filePath: fixture.save(RenderingFixture.waves(300, 200), "jpegsave", "a.jpg"))))
    var request = try fixture.request(
      fixture.write(Array(whole.prefix(whole.count / 2)), "a.jpg"), [fixture.recipe(1, "fit:50x", "png")])
    request.onCorrupt = .warn
    let response = Renderer().render(request)
    #expect(response.file(1) != nil)
    try #require(response.warnings.count == 1, "\(response.warnings)")
    #expect(!response.warnings[0].contains("\n") && !response.warnings[0].contains("\u{FFFD}"))
  }

  @Test("a warning goes to the image of its thread, and not to another's")
  func attribution() async throws {
    let path = try fixture.write(TIFFImage.unknownField, "a.tif")
    let logs = Mutex<[VipsLog]>([])
    let opened = DispatchSemaphore(value: 0)
    let other = Thread {
      logs.withLock { $0.append(VipsLog()) }
      opened.signal()
    }
    other.start()
    opened.wait()
    let log = VipsLog()
    _ = try VipsOperation.image("tiffload", ["filename": .string(path)])
    #expect(log.messages.contains { $0.contains("65000") }, "\(log.messages)")
    #expect(logs.withLock { $0.flatMap(\.messages) }.filter(log.messages.contains) == [])
  }

  @Test("AVIF gives no warning about its kinds of color description")
  func avif() throws {
    let source = try fixture.save(
      RenderingFixture.waves(64, 64), "heifsave", "a.avif", ["compression": "av1"])
    let response = try Renderer().render(fixture.request(source, [fixture.recipe(1, "fit:20x", "png")]))
    // Other tests' images are computed at the same time, and libvips' threads name no image.
    #expect(response.file(1) != nil && !response.warnings.contains { $0.contains("nclx") })
  }

  @Test(
    "an overlay, a mask and a transition's image fail in their own name",
    arguments: [("overlay:logo", "png"), ("mask:logo", "png"), ("transition:logo", "webp")])
  func auxiliary(chain: String, format: String) throws {
    let source = try fixture.save(RenderingFixture.waves(200, 150), "pngsave", "a.png")
    let whole = try Array(
      Data(contentsOf: URL(filePath: fixture.save(RenderingFixture.waves(120, 90), "pngsave", "logo.png"))))
    let logo = try fixture.write(Array(whole.prefix(whole.count / 2)), "logo.png")
    var request = try fixture.request(
      source, [fixture.recipe(1, "fit:100x,\(chain)", format), fixture.recipe(2, "fit:100x", "png")])
    let digest = ContentDigest(hashing: whole.prefix(whole.count / 2))
    request.auxiliary = [
      "logo": AuxiliarySource(.path(logo), digest: digest, name: "https://example.com/logo.png")
    ]
    let response = Renderer().render(request)
    let error = try #require(response.failure(1))
    #expect(
      error.source == "https://example.com/logo.png" && error.stage == .decode && error.code == .truncated)
    #expect(!error.message.contains("save"))
    // It fails nothing that doesn't use it.
    #expect(response.file(2) != nil)
    request.onCorrupt = .warn
    let lenient = Renderer().render(request)
    #expect(lenient.file(1) != nil, "\(String(describing: lenient.failure(1)))")
    #expect(lenient.warnings.count == 1 && lenient.warnings[0].hasPrefix("https://example.com/logo.png: "))
    request.auxiliary["logo"]?.place = .path(fixture.directory + "/none.png")
    #expect(Renderer().render(request).failure(1)?.source == "https://example.com/logo.png")
  }
}

private enum TIFFImage {
  /// An image of one pixel, with a field 65000 that libtiff warns of while it reads the header.
  static let unknownField: [UInt8] = {
    let fields: [(UInt16, UInt32)] = [
      (256, 1), (257, 1), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, 1), (279, 1), (65000, 7),
    ]
    func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
      withUnsafeBytes(of: value.littleEndian, Array.init)
    }
    var file = Array("II*\0".utf8) + bytes(UInt32(12)) + [128, 0, 0, 0] + bytes(UInt16(fields.count))
    for (tag, value) in fields { file += bytes(tag) + bytes(UInt16(3)) + bytes(UInt32(1)) + bytes(value) }
    return file + bytes(UInt32(0))
  }()
}
