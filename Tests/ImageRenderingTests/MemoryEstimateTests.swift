import Foundation
import Testing

@testable import ImageRendering
@testable import Vips

/// What a rendering is foretold to take, against what it took in a process of its own.
@Suite("The memory estimate", .timeLimit(.minutes(8)))
struct MemoryEstimateTests {
  let fixture: RenderingFixture
  init() throws { fixture = try RenderingFixture() }

  struct Case: Codable, CustomTestStringConvertible, Sendable {
    let source: String
    let chains: [String]
    let format: String
    var testDescription: String { "\(source), \(chains.joined(separator: " | ")), \(format)" }
    init(_ source: String, _ chains: [String], _ format: String) {
      (self.source, self.chains, self.format) = (source, chains, format)
    }
  }

  static let cases = [
    Case("jpg", ["fit:400x"], "jpg"), Case("jpg", [""], "png"), Case("progressive", ["fit:400x"], "jpg"),
    Case("jpg", ["blur:10,fit:300x"], "jpg"), Case("jpg", ["blur:8:edge=extend:linear=true"], "png"),
    Case("jpg", ["rotate:45,fit:200x"], "png"), Case("jpg", ["sepia,fit:200x"], "jpg"),
    Case("jpg", ["flip,unsharp", "flip,box-blur:4,fit:300x"], "png"),
    Case("interlaced", ["median,fit:500x"], "png"),
    Case("alpha", ["blur:6,rotate:90,fit:300x"], "png"), Case("deep", ["blur:5"], "png"),
    Case("jpg", ["fit:1200x", "fit:800x", "fit:400x"], "webp"), Case("webp", ["circle"], "webp"),
    Case("gif", ["blur:3"], "webp"), Case("jpg", ["rotate:33,pixelate:12"], "png"),
    Case("alpha", ["pixelate:12"], "png"), Case("alpha", ["rotate:33,box-blur:4"], "webp"),
  ]

  private func source(_ kind: String) throws -> String {
    switch kind {
    case "progressive":
      return try fixture.save(RenderingFixture.waves(2400, 1600), "jpegsave", "a.jpg", ["interlace": true])
    case "interlaced":
      return try fixture.save(RenderingFixture.waves(2400, 1600), "pngsave", "a.png", ["interlace": true])
    case "alpha": return try fixture.save(RenderingFixture.waves(2000, 1500, alpha: true), "pngsave", "a.png")
    case "deep":
      let image = try RenderingFixture.waves(1500, 1000).linear([257], [0]).cast(to: .ushort)
      return try fixture.save(image.copied(["interpretation": "rgb16"]), "pngsave", "a.png")
    case "webp": return try fixture.save(RenderingFixture.waves(2400, 1600), "webpsave", "a.webp")
    case "gif":
      let pages = try (0..<6).map { _ in try RenderingFixture.waves(500, 400) }
      let tall = try VipsImage.stacked(pages).editingMetadata {
        $0.set("page-height", 400)
        $0.set("delay", [50, 50, 50, 50, 50, 50])
      }
      return try fixture.save(tall, "gifsave", "a.gif")
    default: return try fixture.save(RenderingFixture.waves(2400, 1600), "jpegsave", "a.jpg")
    }
  }

  @Test("is as much as is taken, and not three times as much", arguments: cases)
  func estimate(wanted: Case) async throws {
    let recipes = try wanted.chains.enumerated().map { try fixture.recipe($0, $1, wanted.format) }
    let request = try fixture.request(source(wanted.source), recipes)
    var writer = WireWriter()
    try writer.write(request)
    await #expect(processExitsWith: .success) { [frame = writer.bytes as [UInt8]] in
      do {
        var reader = WireReader(frame)
        let request: RenderRequest = try reader.read()
        try VipsRuntime.start()
        let facts = try #require(SourceFacts(headerOf: request.source))
        let estimate = MemoryEstimate(of: facts, recipes: request.recipes).bytes
        let before = try residentBytes("VmRSS")
        let response = Renderer().render(request)
        let taken = max(VipsRuntime.memoryHighWater, try residentBytes("VmHWM") - before)
        for id in request.recipes.indices { _ = try #require(response.file(id)) }
        // A process takes some megabytes for libraries that a format needs, whatever the image.
        let slack = 48 << 20
        guard estimate >= VipsRuntime.memoryHighWater, estimate <= 3 * taken + slack else {
          let text = "estimate \(estimate), pixels \(VipsRuntime.memoryHighWater), taken \(taken)\n"
          FileHandle.standardError.write(Data(text.utf8))
          exit(1)
        }
        exit(0)
      } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(2)
      }
    }
  }

  @Test("is made of a header that is read without libvips, and that libvips reads alike")
  func headers() throws {
    let waves = try RenderingFixture.waves(61, 43)
    let clear = try RenderingFixture.waves(61, 43, alpha: true)
    let deep = try waves.linear([257], [0]).cast(to: .ushort).copied(["interpretation": "rgb16"])
    let gray = try waves.extractingBands(from: 0, count: 1).copied(["interpretation": "b-w"])
    let turned = try waves.editingMetadata { $0.set("orientation", 6) }
    let tall = try VipsImage.stacked([clear, clear, clear]).editingMetadata {
      $0.set("page-height", 43)
      $0.set("delay", [40, 50, 60])
    }
    let files = try [
      fixture.save(waves, "jpegsave", "a.jpg"), fixture.save(waves, "jpegsave", "a.jpg", ["interlace": true]),
      fixture.save(gray, "jpegsave", "a.jpg"), fixture.save(turned, "jpegsave", "a.jpg"),
      fixture.save(waves, "pngsave", "a.png"), fixture.save(clear, "pngsave", "a.png", ["interlace": true]),
      fixture.save(deep, "pngsave", "a.png"), fixture.save(gray, "pngsave", "a.png"),
      fixture.save(waves, "webpsave", "a.webp"), fixture.save(clear, "webpsave", "a.webp"),
      fixture.save(clear, "webpsave", "a.webp", ["lossless": true]), fixture.save(tall, "webpsave", "a.webp"),
      fixture.save(tall, "gifsave", "a.gif"), fixture.save(waves, "tiffsave", "a.tif"),
      fixture.save(deep, "tiffsave", "a.tif"), fixture.save(gray, "tiffsave", "a.tif"),
    ]
    for path in files {
      let known = try SourceFile(path: path, limits: RenderLimits()).facts
      let read = try #require(SourceFacts(headerOf: path), "\(path)")
      // GIF may be transparent anywhere: its header doesn't say.
      if known.format == "gif" {
        #expect(read.width == known.width && read.height == known.height && read.frames == known.frames)
      } else {
        #expect(read == known, "\(path)")
      }
    }
    let avif = try fixture.save(waves, "heifsave", "a.avif", ["compression": "av1"])
    let facts = try #require(SourceFacts(headerOf: avif))
    #expect(facts.width == 61 && facts.height == 43)
    // Random and cut-off files are nil or something, and end nothing.
    for path in files {
      let bytes = try Array(Data(contentsOf: URL(filePath: path)))
      for cut in stride(from: 0, to: min(bytes.count, 400), by: 7) {
        _ = SourceFacts(headerOf: try fixture.write(Array(bytes.prefix(cut)), "cut"))
      }
    }
  }

  @Test("says progressive of images that are, and refuses only those")
  func progressive() throws {
    let waves = try RenderingFixture.waves(800, 600)
    let baseline = try fixture.save(waves, "jpegsave", "a.jpg")
    let passes = try fixture.save(waves, "jpegsave", "b.jpg", ["interlace": true])
    #expect(try !ImageInspection(path: baseline).progressive)
    #expect(try ImageInspection(path: passes).progressive)
    #expect(try ImageInspection(path: passes).memory > ImageInspection(path: baseline).memory)
    for (path, isRefused) in [(baseline, false), (passes, true)] {
      var request = try fixture.request(path, [fixture.recipe(1, "fit:100x", "jpg")])
      request.limits.memory = 1 << 20
      #expect((Renderer().render(request).failure(1)?.code == .tooMuchMemory) == isRefused)
    }
  }

  @Test("a small limit changes where pixels are kept, and nothing else")
  func small() throws {
    let source = try fixture.save(RenderingFixture.waves(500, 400, alpha: true), "pngsave", "a.png")
    let chains = ["blur:5,rotate:20,fit:100x", "blur:5,flip", "blur:5,sepia,fill:50x50:attention"]
    func render(_ memory: Int) throws -> [ContentDigestText] {
      let recipes = try chains.enumerated().map { try fixture.recipe($0, $1, "png") }
      var request = try fixture.request(source, recipes)
      request.limits.memory = memory
      let response = Renderer().render(request)
      return chains.indices.map {
        response.file($0)?.digest.hex ?? "\(String(describing: response.failure($0)))"
      }
    }
    let before = try FileManager.default.contentsOfDirectory(atPath: fixture.directory).count
    #expect(try render(1 << 30) == render(1000))
    // Three outputs of each rendering, and no file for pixels.
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.directory).count == before + 6)
  }
  typealias ContentDigestText = String
}

/// A line of this process's status (proc(5)), in bytes.
private func residentBytes(_ name: String) throws -> Int {
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(name + ":") })
  return try #require(Int(line.filter(\.isNumber))) << 10
}
