import ImageFilters
import Testing
import Vips

@testable import ImageRendering

@Suite("Encoders", .timeLimit(.minutes(8)))
struct RenderingEncoderTests {
  let fixture: RenderingFixture

  init() throws { fixture = try RenderingFixture() }

  /// The ends of what an option may be.
  private static func extremes(_ option: EncoderOption) -> [String] {
    switch option.kind {
    case .integer(let range, _): ["\(range.lowerBound)", "\(range.upperBound)"]
    case .number(let range, _): ["\(range.lowerBound)", "\(range.upperBound)"]
    case .flag: ["true", "false"]
    case .choice(let words): words
    }
  }

  @Test(
    "write with every option at either end, and read back in the same size", arguments: OutputFormat.allCases)
  func options(format: OutputFormat) throws {
    let definition = try #require(EncoderTable.definition(of: format))
    #expect(try FormatSupport.canWrite(format))
    let source = try fixture.save(RenderingFixture.waves(64, 48), "pngsave", "a.png")
    var recipes: [RenderRecipe] = []
    var labels: [String] = []
    for option in definition.options {
      for value in Self.extremes(option) {
        recipes.append(
          try fixture.recipe(recipes.count, "", format.pathExtension) { $0.options[option.name] = value })
        labels.append("\(option.name)=\(value)")
      }
    }
    let response = Renderer().render(try fixture.request(source, recipes))
    for (index, recipe) in recipes.enumerated() {
      _ = try #require(
        response.file(index), "\(format) \(labels[index]): \(String(describing: response.failure(index)))")
      guard format != .jxl else { continue }
      let made = try fixture.open(recipe.temporaryPath)
      #expect(made.width == 64 && made.height == 48, "\(labels[index])")
    }
  }

  @Test("keep an alpha where the format has one", arguments: OutputFormat.allCases.filter { $0 != .jxl })
  func alpha(format: OutputFormat) throws {
    let source = try fixture.save(RenderingFixture.waves(64, 48), "pngsave", "a.png")
    let recipe = try fixture.recipe(1, "circle", format.pathExtension)
    _ = try #require(Renderer().render(try fixture.request(source, [recipe])).file(1))
    let made = try fixture.open(recipe.temporaryPath)
    #expect(made.hasAlpha == EncoderTable.definition(of: format)?.holdsAlpha)
    let corner = try made.pixels().prefix(made.bands)
    #expect(made.hasAlpha ? (corner.last ?? 255) < 8 : corner.allSatisfy { $0 > 240 })
  }

  @Test("keep every pixel where lossless is wanted", arguments: ["avif", "heic", "webp"])
  func lossless(pathExtension: String) throws {
    // Pixels that differ from their neighbors show subsampled chroma.
    var pixels: [UInt8] = []
    for index in 0..<64 * 48 { pixels += [index * 89, index * 151, index * 211].map { UInt8($0 % 256) } }
    let image = try VipsImage(pixels: pixels, width: 64, height: 48, bands: 3, interpretation: .sRGB)
    let source = try fixture.save(image, "pngsave", "a.png")
    let recipe = try fixture.recipe(1, "", pathExtension) { $0.options["lossless"] = "true" }
    _ = try #require(Renderer().render(try fixture.request(source, [recipe])).file(1))
    let made = try fixture.open(recipe.temporaryPath).extractingBands(from: 0, count: 3)
    let worst = try made.combined("subtract", with: image).applying("abs").measuring("max")
    #expect(worst <= (pathExtension == "webp" ? 0 : 1), "\(worst)")
  }

  @Test("say that a profile or a palette is wanted, and get it")
  func palette() throws {
    let source = try fixture.save(RenderingFixture.waves(64, 48), "pngsave", "a.png")
    let recipes = try [
      fixture.recipe(1, "", "png") { $0.options = ["palette": "true", "colors": "16"] },
      fixture.recipe(2, "", "png"),
    ]
    let response = Renderer().render(try fixture.request(source, recipes))
    let small = try #require(response.file(1)?.bytes)
    #expect(small < (try #require(response.file(2)?.bytes)))
    var colors: Set<[UInt8]> = []
    let pixels = try fixture.open(recipes[0].temporaryPath).pixels()
    for start in stride(from: 0, to: pixels.count - 2, by: 3) {
      colors.insert(Array(pixels[start..<start + 3]))
    }
    #expect(colors.count <= 16)
  }
}
