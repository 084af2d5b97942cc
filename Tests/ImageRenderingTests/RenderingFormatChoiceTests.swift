import Foundation
import ImageFilters
import TestSupport
import Testing
import Vips

@testable import ImageRendering

@Suite("The smallest of several formats", .timeLimit(.minutes(8)))
struct RenderingFormatChoiceTests {
  let fixture: RenderingFixture

  init() throws { fixture = try RenderingFixture() }

  private func recipe(
    _ id: Int, _ formats: String, _ chain: String = "", _ change: (inout EncodingSettings) -> Void = { _ in }
  ) throws -> RenderRecipe {
    var settings = EncodingSettings()
    settings.format = formats
    change(&settings)
    return RenderRecipe(
      id: id, chain: try FilterChain(parsing: chain),
      encoding: try Encoding(resolving: settings, pathExtension: nil), temporaryPath: fixture.path("out"))
  }

  private func render(_ source: VipsImage, _ recipes: [RenderRecipe]) throws -> RenderResponse {
    Renderer().render(try fixture.request(fixture.save(source, "pngsave", "a.png"), recipes))
  }

  /// Every pixel another color, so that only a lossy format is small.
  private func noise() throws -> VipsImage {
    var generator = SeededRandom(seed: 1)
    let pixels = (0..<96 * 96 * 3).map { _ in UInt8.random(in: 0...255, using: &generator) }
    return try VipsImage(pixels: pixels, width: 96, height: 96, bands: 3, interpretation: .sRGB)
  }

  @Test("is what each of them alone would give, byte for byte, and nothing else is left behind")
  func smallest() throws {
    let waves = try RenderingFixture.waves(120, 90)
    let names = ["jpeg", "png", "webp"]
    var recipes = try names.enumerated().map { try recipe($0, $1) }
    recipes.append(try recipe(9, "auto"))
    let before = try FileManager.default.contentsOfDirectory(atPath: fixture.directory).count
    let response = try render(waves, recipes)
    let files = try (0..<3).map { try #require(response.file($0)) }
    let best = try #require(files.min { $0.bytes < $1.bytes })
    #expect(try #require(response.file(9)) == best)
    let after = try FileManager.default.contentsOfDirectory(atPath: fixture.directory).count
    #expect(after == before + recipes.count + 1)
    #expect(try Data(contentsOf: URL(filePath: recipes[3].temporaryPath)).count == best.bytes)
  }

  @Test("can hold the image: its alpha where that is used, its frames, its size")
  func holding() throws {
    let clear = try RenderingFixture.waves(80, 80, alpha: true)
    let opaque = try RenderingFixture.waves(80, 80).joiningConstantBand(255)
    #expect(try render(clear, [recipe(1, "jpeg,png")]).file(1)?.format == .png)
    #expect(try render(opaque, [recipe(1, "jpeg,png")]).file(1)?.format == .jpeg)
    // None can: it is flattened as always.
    #expect(try render(clear, [recipe(1, "jpeg")]).file(1)?.format == .jpeg)
    let frames = try VipsImage.stacked([
      RenderingFixture.waves(40, 30),
      RenderingFixture.waves(40, 30).applying("flip", ["direction": .nick("horizontal")]),
    ])
    .editingMetadata {
      $0.set("page-height", 30)
      $0.set("delay", [100, 200])
    }
    let source = try fixture.save(frames, "gifsave", "a.gif")
    let recipes = try [
      recipe(1, "jpeg,png,webp"), recipe(2, "jpeg,tiff"), recipe(3, "jpeg,webp", "") { $0.frames = "first" },
    ]
    let response = Renderer().render(try fixture.request(source, recipes))
    #expect(response.file(1)?.format == .webp && response.file(1)?.frames == 2)
    #expect(response.file(2)?.frames == 1)
    #expect(response.file(3)?.frames == 1)
    let long = try VipsImage.plain([10, 20, 30], width: 16_400, height: 2)
    #expect(try render(long, [recipe(1, "webp,jpeg")]).file(1)?.format == .jpeg)
    #expect(try render(long, [recipe(1, "webp")]).failure(1)?.code == .tooLargeForFormat)
  }

  @Test("is taken instead of the first only where it saves enough")
  func savings() throws {
    let noise = try noise()
    let response = try render(noise, [recipe(1, "jpeg"), recipe(2, "webp")])
    let (first, other) = try (#require(response.file(1)?.bytes), #require(response.file(2)?.bytes))
    try #require(first != other)
    let order = other < first ? "jpeg,webp" : "webp,jpeg"
    let saved = abs(Double(first - other)) / Double(max(first, other)) * 100
    func format(_ percent: Double) throws -> OutputFormat? {
      try render(noise, [recipe(1, order) { $0.minSavings = "\(percent)%" }]).file(1)?.format
    }
    let names = order.split(separator: ",").compactMap { OutputFormat(rawValue: String($0)) }
    #expect(try format(0) == names[1])
    #expect(try format(saved * 0.9) == names[1])
    #expect(try format(saved * 1.1) == names[0])
  }

  @Test("leaves out what can't stay under a size, and fails where none can")
  func sizes() throws {
    let noise = try noise()
    let recipes = try [
      recipe(1, "png,jpeg") { $0.maxBytes = 6_000 }, recipe(2, "png,jpeg") { $0.maxBytes = 100 },
    ]
    let response = try render(noise, recipes)
    let file = try #require(response.file(1))
    #expect(file.format == .jpeg && file.bytes <= 6_000 && file.quality != nil)
    #expect(response.failure(2)?.code == .tooManyBytes)
    #expect(!FileManager.default.fileExists(atPath: recipes[1].temporaryPath))
  }
}
