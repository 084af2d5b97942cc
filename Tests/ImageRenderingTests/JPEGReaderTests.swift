import Foundation
import TestSupport
import Testing
import Vips

@testable import ImageRendering

@Suite("JPEG files read without libvips", .timeLimit(.minutes(8)))
struct JPEGReaderTests {
  private let directory: TestDirectory

  init() throws {
    directory = try TestDirectory("jpeg-reader")
    try VipsRuntime.start()
  }

  /// A file of random smooth colors with some noise, written by libvips.
  private func file(
    width: Int, height: Int, bands: Int, _ options: VipsArguments = [:], _ random: inout SeededRandom
  ) throws -> [UInt8] {
    let phase = Int.random(in: 0..<256, using: &random)
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        for band in 0..<bands {
          let noise = Int.random(in: 0..<40, using: &random)
          pixels.append(UInt8((x * 5 + y * 3 + band * 85 + phase + noise) & 255))
        }
      }
    }
    let image = try VipsImage(
      pixels: pixels, width: width, height: height, bands: bands,
      interpretation: bands == 1 ? .gray : .sRGB)
    let arguments: VipsArguments = ["in": .image(image), "filename": .string(directory["made.jpg"])]
    _ = try VipsOperation(
      "jpegsave", arguments.merging(VipsRuntime.withoutMetadata).merging(options))
    return Array(try Data(contentsOf: URL(filePath: directory["made.jpg"])))
  }

  /// The image as libvips reads it.
  private func expected(_ file: [UInt8], shrink: Int, failOn: String = "warning") throws -> VipsImage {
    try directory.write(file, to: "read.jpg")
    return try Loader(.jpeg).open(
      directory["read.jpg"], sequential: true, failOn: failOn, scale: 1 / Double(shrink))
  }

  /// All fields that later steps may read. The file's name and the order of access concern libvips' own reading.
  private func fields(_ image: VipsImage) -> [String: String] {
    var result: [String: String] = [:]
    for name in image.fields where !["filename", "vips-sequential"].contains(name) {
      result[name] = image.text(name)
    }
    return result
  }

  private func expectEqual(_ image: VipsImage?, _ other: VipsImage, _ comment: Comment) throws {
    let image = try #require(image, comment)
    #expect(fields(image) == fields(other), comment)
    #expect(try image.pixels() == other.pixels(), comment)
  }

  @Test("have libvips' pixels and fields at all sizes, factors, bands and options")
  func samePixels() throws {
    var random = SeededRandom(seed: SeededRandom.seed)
    for (width, height) in [(1, 1), (8, 8), (16, 17), (33, 16), (100, 75), (161, 239)] {
      for bands in [1, 3] {
        for options: VipsArguments in [
          ["Q": 75], ["Q": 92, "subsample-mode": .nick("off")], ["interlace": true],
          ["optimize-coding": true, "subsample-mode": .nick("on")],
        ] {
          let file = try file(width: width, height: height, bands: bands, options, &random)
          let reader = try #require(JPEGReader(file))
          for shrink in [1, 2, 4, 8] where min(width, height) >= shrink {
            try expectEqual(
              reader.image(shrink: shrink), expected(file, shrink: shrink),
              "\(width)x\(height), \(bands) bands, 1/\(shrink), \(options)")
          }
        }
      }
    }
  }

  @Test(
    "have the resolution that libvips reads",
    arguments: [0, 1, 2], [(1, 1), (72, 72), (300, 150), (0, 7), (7, 0), (1, 300)])
  func resolution(unit: UInt8, density: (x: UInt16, y: UInt16)) throws {
    var random = SeededRandom(seed: SeededRandom.seed)
    let file = try file(width: 16, height: 16, bands: 3, [:], &random)
    // A JFIF segment (ITU-T T.871) after the start of the image.
    let segment: [UInt8] =
      [0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1, 2, unit]
      + [density.x, density.y].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } + [0, 0]
    let marked = [0xFF, 0xD8] + segment + file.dropFirst(2)
    try expectEqual(
      #require(JPEGReader(marked)).image(shrink: 1), expected(marked, shrink: 1), "\(unit), \(density)")
  }

  @Test("are left to libvips with metadata, an unknown unit of the resolution, or another color space")
  func others() throws {
    var random = SeededRandom(seed: SeededRandom.seed)
    let file = try file(width: 16, height: 16, bands: 3, [:], &random)
    func with(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
      [0xFF, 0xD8, 0xFF, marker, 0, UInt8(body.count + 2)] + body + file.dropFirst(2)
    }
    #expect(JPEGReader(with(0xFE, Array("a comment".utf8))) != nil)
    for marker: UInt8 in [0xE1, 0xE2, 0xED] {
      #expect(JPEGReader(with(marker, [1, 2, 3])) == nil)
      // Known by the first bytes, also behind another segment.
      #expect(!JPEGReader.mayRead(Array(with(marker, [1, 2, 3]).prefix(30))))
      #expect(!JPEGReader.mayRead([0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 9, 9, 0xFF, marker, 0, 4, 1, 2]))
    }
    for length in [0, 1, 2, 3, 30, file.count] { #expect(JPEGReader.mayRead(Array(file.prefix(length)))) }
    #expect(JPEGReader(with(0xE0, Array("JFIF\0".utf8) + [1, 2, 3, 0, 72, 0, 72, 0, 0])) == nil)
    let inks = try VipsImage(
      pixels: [UInt8](repeating: 90, count: 4 * 16 * 16), width: 16, height: 16, bands: 4,
      interpretation: .cmyk)
    _ = try VipsOperation("jpegsave", ["in": .image(inks), "filename": .string(directory["inks.jpg"])])
    #expect(JPEGReader(Array(try Data(contentsOf: URL(filePath: directory["inks.jpg"])))) == nil)
    #expect(JPEGReader([]) == nil)
    #expect(JPEGReader(Array(file.prefix(100))) == nil)
  }

  @Test("are left to libvips with any fault; a damaged file is read only if libvips reads the same")
  func damaged() throws {
    var random = SeededRandom(seed: SeededRandom.seed)
    let whole = try file(width: 64, height: 48, bands: 3, [:], &random)
    let truncated = try #require(JPEGReader(Array(whole.prefix(whole.count / 2))))
    #expect(try truncated.image(shrink: 1) == nil)
    var read = 0
    for _ in 0..<2000 {
      var file = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        file[Int.random(in: 2..<file.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let reader = JPEGReader(file), let image = try reader.image(shrink: 1) else { continue }
      read += 1
      try expectEqual(image, expected(file, shrink: 1), "a damaged file, seed \(SeededRandom.seed)")
    }
    // Most changes of coefficients are no fault that a decoder can see.
    #expect(read > 100)
  }

  @Test("are left to libvips if a side shrinks to nothing, or the image is too large to decode at once")
  func sizes() throws {
    var random = SeededRandom(seed: SeededRandom.seed)
    let narrow = try #require(JPEGReader(file(width: 7, height: 64, bands: 3, [:], &random)))
    #expect(try narrow.image(shrink: 8) == nil)
    let side = 2400
    #expect(side * side * 3 > JPEGReader.largestImage)
    let large = try VipsImage(
      pixels: [UInt8](repeating: 9, count: side * side * 3), width: side, height: side, bands: 3,
      interpretation: .sRGB)
    let arguments: VipsArguments = ["in": .image(large), "filename": .string(directory["large.jpg"])]
    _ = try VipsOperation("jpegsave", arguments.merging(VipsRuntime.withoutMetadata))
    let reader = try #require(JPEGReader(Array(Data(contentsOf: URL(filePath: directory["large.jpg"])))))
    #expect(try reader.image(shrink: 1) == nil)
    #expect(try reader.image(shrink: 2)?.width == side / 2)
  }
}
