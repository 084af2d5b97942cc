import Foundation
import ImageCaches
import ImageFilters
import LoopbackServer
import TestSupport
import Testing
import Vips

@testable import ImageRendering

/// Headers are read in the process that runs the batch: nothing in a file may stop it.
@Suite("Headers of sources", .timeLimit(.minutes(8)))
final class SourceHeaderTests {
  private let fixture: RenderingFixture

  init() throws { fixture = try RenderingFixture() }

  private func bigEndian(_ value: UInt32, _ count: Int = 4) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private func png(_ width: UInt32, _ height: UInt32) -> [UInt8] {
    [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13] + Array("IHDR".utf8) + bigEndian(width)
      + bigEndian(height) + [8, 6, 0, 0, 0, 0, 0, 0, 0]
  }

  private func tiff(_ width: UInt32, _ height: UInt32) -> [UInt8] {
    var bytes = Array("MM\0*".utf8) + bigEndian(8) + bigEndian(2, 2)
    for (tag, value) in [(256, width), (257, height)] as [(UInt32, UInt32)] {
      bytes += bigEndian(tag, 2) + bigEndian(4, 2) + bigEndian(1) + bigEndian(value)
    }
    return bytes + bigEndian(0)
  }

  private func avif(_ extents: [(UInt32, UInt32)]) -> [UInt8] {
    var bytes = bigEndian(28) + Array("ftypavif".utf8) + bigEndian(0) + Array("avifmif1miaf".utf8)
    for (width, height) in extents {
      bytes += bigEndian(20) + Array("ispe".utf8) + bigEndian(0) + bigEndian(width) + bigEndian(height)
    }
    return bytes + [UInt8](repeating: 0, count: 32)
  }

  private func webP(_ width: Int, _ height: Int, frames: Int) -> [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var bytes = Array("RIFF".utf8) + little(22 + frames * 8, 4) + Array("WEBPVP8X".utf8) + little(10, 4)
    bytes += [frames > 1 ? 2 : 0, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3)
    for _ in 0..<frames { bytes += Array("ANMF".utf8) + little(0, 4) }
    return bytes
  }

  /// Everything that is computed of a header before a worker has the file.
  private func foretell(_ path: String) throws {
    guard let facts = SourceFacts(headerOf: path) else { return }
    _ = MemoryEstimate(of: facts).bytes
    for (chain, pathExtension) in [
      ("", "png"), ("fit:20x20", "webp"), ("rotate:90", "tif"), ("scale:10x", "gif"),
    ] {
      for maxPixels in [0, 268_402_689, Int.max] {
        let recipe = try fixture.recipe(0, chain, pathExtension)
        let limits = RenderLimits(maxPixels: maxPixels, maxFrames: maxPixels)
        let estimate = MemoryEstimate(
          of: facts, recipes: [recipe], auxiliary: ["a": facts], limits: limits, wantsPlaceholders: true)
        #expect(estimate.bytes > 0)
        guard let shape = SourceShape(facts) else { continue }
        do { _ = try DecodeOptions(for: recipe, of: shape, within: limits) } catch is RenderError {
        } catch is FilterError {}
      }
    }
  }

  @Test("sizes that no image has are refused, and nothing overflows")
  func hugeSizes() throws {
    let sides: [UInt32] = [0, 1, 65_535, 1 << 20, 0x7FFF_FFFF, 0x8000_0000, .max]
    for width in sides {
      for height in sides {
        for bytes in [png(width, height), tiff(width, height), avif([(width, height), (3, 2)])] {
          let path = try fixture.write(bytes, "huge")
          try foretell(path)
          if width == 0 || height == 0, bytes[0] != 0 { #expect(SourceFacts(headerOf: path) == nil) }
        }
      }
    }
  }

  @Test("a number of frames that no animation has overflows nothing")
  func hugeAnimations() throws {
    for frames in [1, 40_000] {
      let path = try fixture.write(webP(1 << 24, 1 << 24, frames: frames), "huge.webp")
      try foretell(path)
    }
  }

  @Test("a usual header is read whatever stands beside it")
  func sizes() throws {
    for (bytes, format, width, height) in [
      (png(300, 200), "png", 300, 200), (tiff(300, 200), "tiff", 300, 200),
      (avif([(30, 20), (300, 200), (16, 16)]), "avif", 300, 200),
      (webP(300, 200, frames: 3), "webp", 300, 200),
    ] {
      let facts = try #require(SourceFacts(headerOf: try fixture.write(bytes, "usual")))
      #expect(facts.format == format && facts.width == width && facts.height == height)
    }
    #expect(SourceFacts(headerOf: try fixture.write(webP(30, 20, frames: 7), "a.webp"))?.frames == 7)
  }

  @Test(
    "that are damaged or cut off anywhere are read or not, and never stop the process",
    arguments: ["jpegsave", "pngsave", "webpsave", "gifsave", "tiffsave", "heifsave"])
  func damage(saver: String) throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    let image = try RenderingFixture.waves(40, 30)
    let options: VipsArguments = saver == "heifsave" ? ["compression": "av1"] : [:]
    let path = try fixture.save(image, saver, "whole." + (saver == "heifsave" ? "avif" : "x"), options)
    let whole = try Array(Data(contentsOf: URL(filePath: path)))
    let facts = try #require(SourceFacts(headerOf: path), "\(saver)")
    #expect(facts.width == 40 && facts.height == 30)
    let scratch = fixture.path("scratch")
    for round in 0..<300 {
      var bytes = whole
      for _ in 0..<Int.random(in: 0...8, using: &random) {
        let place = Int.random(in: 0..<min(bytes.count, 600), using: &random)
        bytes[place] =
          [0, 0xFF, 0x7F, 0x80, UInt8.random(in: 0...255, using: &random)]
          .randomElement(using: &random) ?? 0
      }
      if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
      try Data(bytes).write(to: URL(filePath: scratch))
      if round % 10 == 0 {
        try foretell(scratch)
      } else if let facts = SourceFacts(headerOf: scratch) {
        #expect(
          facts.width > 0 && facts.height > 0 && facts.frames > 0 && (1...8).contains(facts.orientation))
        _ = MemoryEstimate(of: facts).bytes
      }
    }
  }

  @Test("what is no file, and no image, has none")
  func nothing() throws {
    for path in ["/no/such/file", fixture.directory, "/dev/null", ""] {
      #expect(SourceFacts(headerOf: path) == nil)
    }
    for text in ["", "x", "GIF89a", "\u{ff}", "II*\0", "RIFFxxxxWEBP", "<svg/>"] {
      #expect(SourceFacts(headerOf: try fixture.write(Array(text.utf8), "text")) == nil, "\(text)")
    }
  }

  @Test("a shape is the facts' again, for every orientation")
  func shapes() throws {
    for orientation in 1...8 {
      let shape = SourceShape(
        format: .jpeg, stored: Size(width: 40, height: 30), frames: 2, orientation: orientation)
      #expect(
        shape.upright == (orientation < 5 ? Size(width: 40, height: 30) : Size(width: 30, height: 40)))
      let facts = SourceFacts(shape, hasAlpha: false)
      #expect(SourceShape(facts) == shape)
      #expect(facts.width == shape.upright.width && facts.height == shape.upright.height)
    }
    var facts = SourceFacts(
      SourceShape(format: .png, stored: Size(width: 1, height: 1), frames: 1, orientation: 1),
      hasAlpha: false)
    facts.format = "unheard-of"
    #expect(SourceShape(facts) == nil)
    #expect(MemoryEstimate(of: facts).bytes == 0)
  }

  @Test("frames and pixels are held to the limits, and never below them")
  func limits() throws {
    let shape = SourceShape(format: .gif, stored: Size(width: 10, height: 10), frames: 7, orientation: 1)
    for (maxFrames, maxPixels, frames, code) in [
      (7, 700, 7, nil), (6, 700, 7, "too-many-frames"), (7, 699, 7, "too-many-pixels"), (6, 700, 6, nil),
      (1, 100, 1, nil), (1, 99, 1, "too-many-pixels"),
    ] as [(Int, Int, Int, String?)] {
      var found: String?
      do throws(RenderError) {
        try shape.check(frames: frames, within: RenderLimits(maxPixels: maxPixels, maxFrames: maxFrames))
      } catch { found = error.codeText }
      #expect(found == code, "\(maxFrames) \(maxPixels) \(frames)")
    }
  }
}
