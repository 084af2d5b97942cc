import Foundation
import Glibc
import SystemIO
import TestSupport
import Testing

@testable import ImageRendering

/// Walks over files whose blocks were made here, so that it is known what is in them.
@Suite("Blocks of files", .timeLimit(.minutes(8)))
final class GIFBlocksTests {
  private let fixture: RenderingFixture

  init() throws { fixture = try RenderingFixture() }

  /// A GIF of frames that are 3 by 2 pixels of one color, each coded plainly: a clear code before every
  /// pixel.
  private func gif(frames: Int, pixels: Int = 6, extensions: Int = 1, hasPalettes: Bool = false) -> [UInt8] {
    var bytes = Array("GIF89a".utf8) + [3, 0, 2, 0, 0x80, 0, 0] + [UInt8](repeating: 7, count: 6)
    for _ in 0..<frames {
      for _ in 0..<extensions { bytes += [0x21, 0xF9, 4, 0, 5, 0, 0, 0] }
      bytes += [0x2C, 0, 0, 0, 0, 3, 0, 2, 0, hasPalettes ? 0x81 : 0]
      if hasPalettes { bytes += [UInt8](repeating: 9, count: 12) }
      bytes += [2]
      // Codes of three bits: clear (4), pixel 1, clear … and the end (5).
      var bits = (0..<pixels).flatMap { _ in [4, 1] } + [5]
      var data: [UInt8] = []
      var (buffer, count) = (0, 0)
      while !bits.isEmpty {
        buffer |= bits.removeFirst() << count
        count += 3
        while count >= 8 || bits.isEmpty && count > 0 {
          data.append(UInt8(buffer & 255))
          buffer >>= 8
          count -= 8
        }
      }
      bytes += [UInt8(data.count)] + data + [0]
    }
    return bytes + [0x3B]
  }

  private func walk(_ bytes: [UInt8], countingPixels: Bool = true) throws -> GIFBlocks.Finding {
    var blocks = GIFBlocks(try FileBytes(path: try fixture.write(bytes, "a.gif")))
    return blocks.walk(countingPixels: countingPixels)
  }

  @Test("every frame is counted, whatever stands between them")
  func frames() throws {
    for frames in 0...5 {
      for (extensions, hasPalettes) in [(0, false), (1, true), (3, false)] {
        let bytes = gif(frames: frames, extensions: extensions, hasPalettes: hasPalettes)
        let finding = try walk(bytes)
        #expect(finding == .init(frames: frames, isWhole: true, shortFrame: nil))
        #expect(try walk(bytes, countingPixels: false) == finding)
      }
    }
  }

  @Test("a file that is cut off anywhere is not whole, and has no more frames than it had")
  func cutOff() throws {
    let bytes = gif(frames: 3, hasPalettes: true)
    var last = 0
    for length in 13..<bytes.count {
      let finding = try walk(Array(bytes.prefix(length)), countingPixels: length % 2 == 0)
      #expect(!finding.isWhole, "\(length)")
      #expect(finding.frames >= last && finding.frames <= 3, "a longer file has no fewer frames")
      last = finding.frames
    }
    #expect(last == 3)
  }

  @Test("a frame whose data stand for fewer pixels than it has is found, the first of several")
  func shortFrames() throws {
    for pixels in 0...5 { #expect(try walk(gif(frames: 2, pixels: pixels)).shortFrame == 1, "\(pixels)") }
    #expect(try walk(gif(frames: 2, pixels: 7)).shortFrame == nil)
    #expect(try walk(gif(frames: 2, pixels: 3), countingPixels: false).shortFrame == nil)
    let whole = gif(frames: 1)
    let mixed = whole.dropLast() + gif(frames: 2, pixels: 2).dropFirst(19)
    #expect(try walk(Array(mixed)).shortFrame == 2)
  }

  @Test("any damage ends the walk, and never the process")
  func damage() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    let whole = gif(frames: 3, hasPalettes: true)
    for _ in 0..<600 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: 6..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let finding = try walk(bytes)
      #expect(finding.frames <= bytes.count, "seed \(seed)")
    }
  }

  @Test("bytes are those of the file, wherever they are asked for")
  func fileBytes() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    let bytes = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    var file = try FileBytes(path: try fixture.write(bytes, "bytes"))
    #expect(file.count == bytes.count)
    let edges = [0, 1, 65_535, 65_536, 65_537, 131_071, 131_072, 199_999]
    for round in 0..<2000 {
      let place =
        round < edges.count ? edges[round] : Int.random(in: 0..<bytes.count, using: &random)
      #expect(file.byte(place) == bytes[place])
      let length = Int.random(in: 0...9, using: &random)
      let expected = place + length <= bytes.count ? Array(bytes[place..<place + length]) : nil
      #expect(file.bytes(place, length) == expected, "seed \(seed): \(length) at \(place)")
      guard let expected else { continue }
      let number = expected.prefix(7).reduce(0) { $0 << 8 | Int($1) }
      #expect(file.number(place, min(7, length), littleEndian: false) == number)
      let reversed = expected.prefix(7).reversed().reduce(0) { $0 << 8 | Int($1) }
      #expect(file.number(place, min(7, length), littleEndian: true) == reversed)
    }
    for place in [-1, bytes.count, Int.max, Int.min] { #expect(file.byte(place) == nil) }
    #expect(file.bytes(0, -1) == nil && file.bytes(-1, 1) == nil && file.bytes(5, bytes.count) == nil)
  }

  @Test("a file that shrinks while it is read gives nothing where nothing is left")
  func shrinking() throws {
    let path = try fixture.write([UInt8](repeating: 1, count: 70_000), "bytes")
    var file = try FileBytes(path: path)
    #expect(file.byte(0) == 1)
    try Data([1, 2]).write(to: URL(filePath: path))
    #expect(file.byte(69_000) == nil)
    #expect(file.bytes(65_530, 100) == nil)
  }

  @Test("a file that can't be opened says so")
  func unreadable() {
    let error = #expect(throws: SystemError.self) { _ = try FileBytes(path: "/no/such/file").count }
    #expect(error?.code == ENOENT)
  }

  @Test("WebP loses an EXIF chunk at its end, and nothing else", arguments: [0, 1, 7, 8, 200])
  func webP(length: Int) throws {
    func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
      let count = (0..<4).map { UInt8(truncatingIfNeeded: data.count >> (8 * $0)) }
      return Array(name.utf8) + count + data + (data.count % 2 == 0 ? [] : [0])
    }
    func file(_ chunks: [[UInt8]]) -> [UInt8] {
      let body = Array("WEBP".utf8) + chunks.flatMap(\.self)
      return Array("RIFF".utf8) + (0..<4).map { UInt8(truncatingIfNeeded: body.count >> (8 * $0)) } + body
    }
    let pixels = chunk("VP8L", [UInt8](repeating: 5, count: 33))
    let exif = chunk("EXIF", [UInt8](repeating: 6, count: length))
    let xmp = chunk("XMP ", [1, 2, 3])
    func head(_ flags: UInt8) -> [UInt8] { chunk("VP8X", [flags, 0, 0, 0, 9, 0, 0, 9, 0, 0]) }
    let with = file([head(0x0C), xmp, pixels, exif])
    let without = file([head(0x04), xmp, pixels])
    #expect(WebPFile.withoutEXIF(with) == without)
    // Without the chunk, or with it elsewhere, it stays as it is.
    for bytes in [without, file([head(0x08), exif, pixels]), file([pixels]), [], Array("RIFF".utf8)] {
      #expect(WebPFile.withoutEXIF(bytes) == bytes)
    }
    let path = try fixture.write(with, "a.webp")
    try WebPFile.dropEXIF(at: path)
    #expect(try Array(Data(contentsOf: URL(filePath: path))) == without)
    try WebPFile.dropEXIF(at: path)
    #expect(try Array(Data(contentsOf: URL(filePath: path))) == without)
    // Cut off anywhere, it is left alone or cut, and nothing is read beyond its end.
    for end in 0..<with.count { #expect(WebPFile.withoutEXIF(Array(with.prefix(end))).count <= end) }
    #expect(throws: RenderError.self) { try WebPFile.dropEXIF(at: "/no/such/file") }
  }

  @Test("hundredths of a second add up to the milliseconds, and none is too short for viewers")
  func hundredths() {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for _ in 0..<500 {
      let delays = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        Int.random(in: 20...500, using: &random)
      }
      let rounded = FrameTiming.hundredths(delays)
      #expect(rounded.count == delays.count)
      #expect(rounded.allSatisfy { $0 % 10 == 0 && $0 >= 20 }, "seed \(seed)")
      var (wanted, given) = (0, 0)
      for (delay, result) in zip(delays, rounded) {
        wanted += delay
        given += result
        #expect(abs(wanted - given) <= 5, "seed \(seed): \(delays)")
      }
      #expect(FrameTiming.hundredths(rounded) == rounded)
    }
    #expect(FrameTiming.hundredths([0, 0, 0]) == [0, 0, 0])
    #expect(FrameTiming.hundredths([11, 11, 11]).allSatisfy { $0 >= 20 })
  }

  @Test(
    "an EXIF field's value is what stands before libvips' words about it",
    arguments: [
      ("Ada (Ada, ASCII, 4 components, 4 bytes)", "Ada"),
      ("6 (Right-top, Short, 1 components, 2 bytes)", "6"),
      ("(c) Ada ((c) Ada, ASCII, 8 components, 8 bytes)", "(c) Ada"), ("plain", "plain"), ("", ""),
      ("a)", "a)"),
      ("(all)", "(all)"), ("a  (x)", "a"), ("a (b) (c (d))", "a (b)"), (")", ")"), ("a ()", "a"),
    ])
  func exif(text: String, value: String) {
    #expect(EXIFField.value(in: text) == value)
  }
}
