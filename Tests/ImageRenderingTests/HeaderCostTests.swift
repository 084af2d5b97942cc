import CZlib
import Glibc
import LoopbackServer
import TestSupport
import Testing

@testable import ImageRendering

@Suite("What a header costs", .timeLimit(.minutes(8)))
struct HeaderCostTests {
  private let fixture: RenderingFixture

  init() throws { fixture = try RenderingFixture() }

  /// The processor time of this thread in seconds: a busy machine makes what is done no more expensive.
  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func bigEndian(_ number: Int) -> [UInt8] {
    (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + data
    let sum = body.withUnsafeBufferPointer { Int(crc32(0, $0.baseAddress, UInt32($0.count))) }
    return bigEndian(data.count) + body + bigEndian(sum)
  }

  private static func packed(_ bytes: [UInt8]) -> [UInt8] {
    var size = compressBound(UInt(bytes.count))
    var result = [UInt8](repeating: 0, count: Int(size))
    _ = compress(&result, &size, bytes, UInt(bytes.count))
    return Array(result.prefix(Int(size)))
  }

  /// A small PNG with more chunks behind its header.
  private func png(_ chunks: [[UInt8]]) throws -> String {
    let plain = PNGImage.bytes(width: 8, height: 6)
    return try fixture.write(Array(plain.prefix(33)) + chunks.joined() + plain.dropFirst(33), "a.png")
  }

  private func failure(_ path: String, frames: Int = 1) throws -> RenderError? {
    let response = try Renderer().render(fixture.request(path, [fixture.recipe(1, "", "png")]))
    return response.failure(1)
  }

  @Test(
    "a PNG whose texts or profile unpack to more than 32 MiB is refused before they are unpacked",
    arguments: ["zTXt", "iTXt", "iCCP", "many zTXt"])
  func packedTexts(kind: String) throws {
    let whole = Self.packed([UInt8](repeating: 0x41, count: 40 << 20))
    let part = Self.packed([UInt8](repeating: 0x41, count: 3 << 20))
    let key = Array("key\0".utf8)
    let chunks: [[UInt8]] =
      switch kind {
      case "iTXt": [Self.chunk("iTXt", key + [1, 0] + Array("en\0schl\u{FC}ssel\0".utf8) + whole)]
      case "many zTXt": Array(repeating: Self.chunk("zTXt", key + [0] + part), count: 12)
      default: [Self.chunk(kind, key + [0] + whole)]
      }
    let path = try png(chunks)
    let start = Self.processorTime
    let error = try #require(try failure(path))
    #expect(error.code == .tooMuchMemory && error.message.contains("32 MiB"), "\(error.message)")
    #expect(Self.processorTime - start < 20)
  }

  @Test("a PNG with very many texts is refused")
  func manyTexts() throws {
    let text = Self.chunk("tEXt", Array("key\0value".utf8))
    let error = try #require(try failure(png(Array(repeating: text, count: 2001))))
    #expect(error.code == .tooMuchMemory && error.message.contains("2000"))
    #expect(try failure(png(Array(repeating: text, count: 20))) == nil)
  }

  @Test("a PNG with texts and a profile of an ordinary size is read, damaged ones among them")
  func ordinaryTexts() throws {
    let text = Self.packed([UInt8](repeating: 0x41, count: 100_000))
    let key = Array("key\0".utf8)
    for chunk in [
      Self.chunk("zTXt", key + [0] + text), Self.chunk("iTXt", key + [0, 0, 0, 0] + Array("plain".utf8)),
      Self.chunk("iTXt", key + [1, 0, 0, 0] + text),
    ] { #expect(try failure(png([chunk])) == nil) }
    // Cut or wrong compressed data, and chunks too short for what they should hold, are counted to their end.
    for data in [[], [0], key, key + [0], key + [0, 1, 2, 3], Array(text.prefix(30))] as [[UInt8]] {
      for name in ["zTXt", "iTXt", "iCCP"] {
        let path = try png([Self.chunk(name, data)])
        #expect(throws: Never.self) { try PNGMetadata.check(.path(path)) }
      }
    }
  }

  /// A profile for RGB whose only tag names the same element `count` times.
  private static func profile(_ count: Int, _ element: [UInt8]) -> [UInt8] {
    let positions = (0..<count).flatMap { _ in bigEndian(16 + 8 * count) + bigEndian(element.count) }
    let tag = Array("mpet".utf8) + bigEndian(0) + [0, 3, 0, 3] + bigEndian(count) + positions + element
    let body = bigEndian(1) + Array("D2B1".utf8) + bigEndian(144) + bigEndian(tag.count) + tag
    var head = [UInt8](repeating: 0, count: 128)
    head.replaceSubrange(0..<4, with: bigEndian(128 + body.count))
    head.replaceSubrange(8..<24, with: [4, 0x30, 0, 0] + Array("mntrRGB XYZ ".utf8))
    head.replaceSubrange(36..<40, with: Array("acsp".utf8))
    return head + body
  }

  /// A curve element of three channels, which are the same curve.
  private static func curves(_ size: Int) -> [UInt8] {
    Array("cvst".utf8) + bigEndian(0) + [0, 3, 0, 3]
      + (0..<3).flatMap { _ in bigEndian(36) + bigEndian(size) }
      + [UInt8](repeating: 0, count: size)
  }

  @Test(
    "a profile whose transform is long or large is refused before it is read, also if its elements are the same bytes"
  )
  func profiles() throws {
    let matrix = Array("matf".utf8) + [UInt8](repeating: 0, count: 56)
    let table = Array("clut".utf8) + [UInt8](repeating: 0, count: 400_000)
    for (profile, words) in [
      (Self.profile(65, matrix), "64 elements"),
      (Self.profile(20, table), "4 MiB"), (Self.profile(2, Self.curves(1 << 20)), "4 MiB"),
      (Self.profile(1, [UInt8](repeating: 0, count: 33 << 20)), "32 MiB"),
    ] {
      let path = try png([Self.chunk("iCCP", Array("p\0".utf8) + [0] + Self.packed(profile))])
      // The check of packed data refuses the largest before, and libpng passes over the small one.
      if words != "4 MiB" {
        #expect(throws: RenderError.self) { try ColorProfile(profile).check() }
        continue
      }
      let error = try #require(try failure(path), "\(words)")
      #expect(error.code == .tooMuchMemory && error.message.contains(words), "\(error.message)")
    }
    #expect(throws: RenderError.self) { try ColorProfile(Self.profile(1_000_000, [])).check() }
    for profile in [
      Self.profile(3, matrix), Self.profile(5, table), Self.profile(1, Self.curves(1 << 20)),
      Array(Self.profile(3, table).prefix(150)), Array(Self.profile(3, table).prefix(130)), [], [1, 2, 3],
    ] { #expect(throws: Never.self) { try ColorProfile(profile).check() } }
  }

  @Test("a WebP with very many frames is refused by its header, even where one is wanted")
  func manyFrames() throws {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let frame = Array("ANMF".utf8) + number(16, 4) + [UInt8](repeating: 0, count: 16)
    for count in [5001, 60_000] {
      let body =
        Array("WEBPVP8X".utf8) + number(10, 4) + [2, 0, 0, 0] + number(7, 3) + number(5, 3)
        + Array(repeating: frame, count: count).joined()
      let path = try fixture.write(Array("RIFF".utf8) + number(body.count, 4) + body, "a.webp")
      let start = Self.processorTime
      let error = try #require(try failure(path))
      #expect(error.code == .tooManyFrames && error.message.contains("\(count) frames"), "\(error.message)")
      #expect(Self.processorTime - start < 20)
    }
  }
}
