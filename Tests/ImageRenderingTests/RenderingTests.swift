import Foundation
import ImageCaches
import ImageFilters
import Testing
import Vips

@testable import ImageRendering

@Suite("Rendering", .timeLimit(.minutes(8)))
struct RenderingTests {
  let fixture: RenderingFixture

  init() throws { fixture = try RenderingFixture() }

  @Test("one source gives every output that is asked for, each in its format and size")
  func everyFormat() throws {
    let source = try fixture.save(RenderingFixture.waves(300, 200), "jpegsave", "a.jpg")
    let recipes = try [
      fixture.recipe(1, "fill:100x100,circle", "png"), fixture.recipe(2, "fit:80x80", "jpg"),
      fixture.recipe(3, "limit:1000x", "webp"), fixture.recipe(4, "", "gif"),
      fixture.recipe(5, "scale:50%", "tiff"),
      fixture.recipe(6, "rotate:90", "avif"),
    ]
    let response = Renderer().render(try fixture.request(source, recipes))
    #expect(response.source?.format == "jpeg")
    let sizes = [1: (100, 100), 2: (80, 53), 3: (300, 200), 4: (300, 200), 5: (150, 100), 6: (200, 300)]
    for recipe in recipes {
      let file = try #require(response.file(recipe.id), "\(String(describing: response.failure(recipe.id)))")
      #expect(file.width == sizes[recipe.id]?.0 && file.height == sizes[recipe.id]?.1)
      let bytes = try Data(contentsOf: URL(filePath: recipe.temporaryPath))
      #expect(file.bytes == bytes.count && file.digest == ContentDigest(hashing: bytes))
      let image = try fixture.open(recipe.temporaryPath)
      #expect(image.width == file.width && image.height == file.height)
    }
  }

  @Test("an output has the same bytes alone and in company, and in a second run")
  func sameBytes() throws {
    let source = try fixture.save(RenderingFixture.waves(640, 480), "jpegsave", "a.jpg")
    let chains = [
      "fill:100x100,circle", "fill:100x100,grayscale", "fill:100x100", "limit:200x,blur:2", "", "flip",
      "scale:50x60",
    ]
    func recipes() throws -> [RenderRecipe] {
      try chains.enumerated().flatMap { index, chain in
        try [fixture.recipe(2 * index, chain, "png"), fixture.recipe(2 * index + 1, chain, "jpg")]
      }
    }
    let together = Renderer().render(try fixture.request(source, recipes()))
    for recipe in try recipes() {
      let alone = Renderer().render(try fixture.request(source, [recipe]))
      let digest = try #require(alone.file(recipe.id)?.digest)
      #expect(together.file(recipe.id)?.digest == digest, "\(recipe.chain.identifier)")
    }
  }

  @Test("filters that chains begin with alike run once, and equal recipes are made once")
  func sharing() throws {
    let source = try fixture.save(RenderingFixture.waves(300, 200), "pngsave", "a.png")
    let recipes = try [
      fixture.recipe(1, "fit:200x200,grayscale,circle", "png"),
      fixture.recipe(2, "fit:200x200,grayscale", "png"),
      fixture.recipe(3, "fit:200x200,grayscale", "jpg"), fixture.recipe(4, "fit:200x200,sepia", "jpg"),
      fixture.recipe(5, "fit:200x200,grayscale", "jpg"),
    ]
    let response = Renderer().render(try fixture.request(source, recipes))
    // fit, grayscale, circle, sepia; and of the five outputs two are one.
    #expect(response.counts.filterRuns == 4)
    #expect(response.counts.encodes == 4)
    #expect(response.counts.decodes == 1)
    #expect(response.file(3)?.digest == response.file(5)?.digest)
    let copies = try recipes[2...].filter { $0.id != 4 }.map {
      try Data(contentsOf: URL(filePath: $0.temporaryPath))
    }
    #expect(copies[0] == copies[1])
  }

  @Test(
    "what isn't an image is named for what it is",
    arguments: [
      ("<!DOCTYPE html><html><body>Not found</body></html>", RenderError.Code.notAnImage, "HTML page"),
      ("{\"error\": 1}", RenderError.Code.notAnImage, "JSON"), ("", RenderError.Code.empty, "empty"),
      ("hello there", RenderError.Code.notAnImage, "plain text"),
      ("<svg xmlns='http://www.w3.org/2000/svg'/>", RenderError.Code.unsupportedFormat, "the file is svg"),
    ])
  func foreignContent(text: String, code: RenderError.Code, words: String) throws {
    let source = try fixture.write(Array(text.utf8), "a.jpg")
    let response = Renderer().render(
      try fixture.request(source, [fixture.recipe(1, "", "png"), fixture.recipe(2, "fit:5x5", "jpg")]))
    for id in 1...2 {
      let error = try #require(response.failure(id))
      #expect(error.code == code && error.stage == .decode && error.message.contains(words), "\(error)")
    }
  }

  static let cutFormats: [(String, VipsArguments, String)] = [
    ("jpegsave", [:], "jpg"), ("jpegsave", ["interlace": true], "jpg"), ("pngsave", [:], "png"),
    ("webpsave", [:], "webp"),
    ("gifsave", [:], "gif"), ("tiffsave", [:], "tif"), ("heifsave", ["compression": "av1"], "avif"),
  ]

  @Test(
    "an image that is cut off fails every output as damaged, and leaves no file",
    arguments: cutFormats.indices)
  func truncated(index: Int) throws {
    let (saver, options, pathExtension) = Self.cutFormats[index]
    let whole = try fixture.save(RenderingFixture.waves(200, 150), saver, "a.\(pathExtension)", options)
    let bytes = try Array(Data(contentsOf: URL(filePath: whole)))
    for part in [0.4, 0.7, 0.95] {
      let source = try fixture.write(
        Array(bytes.prefix(Int(Double(bytes.count) * part))), "cut.\(pathExtension)")
      let recipes = try [
        fixture.recipe(1, "", "png"), fixture.recipe(2, "fit:20x20", "jpg"),
        fixture.recipe(3, "rotate:90", "webp"),
      ]
      let response = Renderer().render(try fixture.request(source, recipes))
      for recipe in recipes {
        let error = try #require(response.failure(recipe.id), "\(saver) \(part) passed")
        #expect(error.stage == .decode, "\(error)")
        #expect([.truncated, .corrupt].contains(error.code), "\(error)")
        #expect(!FileManager.default.fileExists(atPath: recipe.temporaryPath))
      }
      #expect(Set(recipes.compactMap { response.failure($0.id) }).count == 1)
    }
  }

  /// A JPEG without restart markers, a WebP and a GIF can't tell: any bytes are some image.
  @Test(
    "an image with bytes overwritten in its middle fails as damaged", arguments: ["jpegsave", "pngsave"])
  func corrupt(saver: String) throws {
    let options: VipsArguments = saver == "jpegsave" ? ["restart-interval": 5] : [:]
    let whole = try fixture.save(RenderingFixture.waves(200, 150), saver, "a", options)
    var bytes = try Array(Data(contentsOf: URL(filePath: whole)))
    for index in 0..<60 { bytes[bytes.count / 2 + index] = 0 }
    let recipe = try fixture.recipe(1, "fit:20x20", "png")
    let response = Renderer().render(try fixture.request(fixture.write(bytes, "b"), [recipe]))
    let error = try #require(response.failure(1), "\(saver) passed")
    #expect(error.stage == .decode, "\(error)")
  }

  @Test("a damaged image is used with a warning where the caller says so")
  func corruptWarning() throws {
    let whole = try fixture.save(RenderingFixture.waves(200, 150), "jpegsave", "a.jpg")
    let bytes = try Array(Data(contentsOf: URL(filePath: whole)))
    let source = try fixture.write(Array(bytes.prefix(bytes.count * 7 / 10)), "cut.jpg")
    var request = try fixture.request(source, [fixture.recipe(1, "fit:50x50", "png")])
    request.onCorrupt = .warn
    let response = Renderer().render(request)
    #expect(response.file(1)?.width == 50)
    #expect(
      response.warnings.contains {
        $0.contains("truncated") && $0.hasSuffix("; using what could be decoded")
      },
      "\(response.warnings)")
  }

  @Test("a size beyond the limit is refused from the header")
  func pixelLimit() throws {
    let source = try fixture.save(RenderingFixture.waves(300, 200), "pngsave", "a.png")
    var request = try fixture.request(source, [fixture.recipe(1, "", "png")])
    request.limits.maxPixels = 59_999
    let response = Renderer().render(request)
    #expect(response.failure(1)?.code == .tooManyPixels)
    #expect(response.counts.decodes == 0)
    request.limits.maxPixels = 60_000
    #expect(Renderer().render(request).file(1) != nil)
  }

  @Test("a filter that can't be applied fails its outputs and no others")
  func filterFailure() throws {
    let source = try fixture.save(RenderingFixture.waves(30, 20), "pngsave", "a.png")
    let recipes = try [fixture.recipe(1, "crop:100x100", "png"), fixture.recipe(2, "crop:10x10", "png")]
    let response = Renderer().render(try fixture.request(source, recipes))
    #expect(response.failure(1)?.stage == .filter && response.failure(1)?.code == .filterFailed)
    #expect(response.failure(1)?.message.contains("clip=true") == true)
    #expect(response.file(2)?.width == 10)
  }

  @Test("max-bytes finds the highest quality that stays under the size")
  func maximumBytes() throws {
    let source = try fixture.save(RenderingFixture.waves(300, 200), "pngsave", "a.png")
    func recipe(_ id: Int, _ quality: Int?, _ maxBytes: Int?) throws -> RenderRecipe {
      try fixture.recipe(id, "", "jpg") {
        $0.quality = quality.map(String.init)
        $0.maxBytes = maxBytes
      }
    }
    let plain = Renderer().render(try fixture.request(source, [recipe(1, 40, nil), recipe(2, 41, nil)]))
    let limit = try #require(plain.file(1)?.bytes)
    try #require(limit < (try #require(plain.file(2)?.bytes)))
    let response = Renderer().render(
      try fixture.request(source, [recipe(3, nil, limit), recipe(4, nil, 50)]))
    #expect(response.file(3)?.quality == 40)
    #expect(response.file(3)?.digest == plain.file(1)?.digest)
    #expect(response.failure(4)?.code == .tooManyBytes)
    // Without a quality it goes up to the highest, with one no higher.
    let roomy = Renderer().render(
      try fixture.request(source, [recipe(5, nil, 1 << 20), recipe(6, 60, 1 << 20), recipe(7, 100, nil)]))
    #expect(roomy.file(5)?.quality == 100 && roomy.file(5)?.digest == roomy.file(7)?.digest)
    #expect(roomy.file(6)?.quality == 60)
  }

  @Test("shrinking while decoding changes nothing that can be seen")
  func shrinkOnLoad() throws {
    let source = try fixture.save(RenderingFixture.waves(1601, 1203), "jpegsave", "a.jpg", ["Q": 95])
    let recipes = try [
      fixture.recipe(1, "fit:100x100", "png"), fixture.recipe(2, "limit:1601x,fit:100x100", "png"),
    ]
    let response = Renderer().render(try fixture.request(source, recipes))
    try #require(response.file(1) != nil && response.file(2) != nil)
    #expect(response.counts.decodes == 2)
    let left = try fixture.open(recipes[0].temporaryPath)
    let right = try fixture.open(recipes[1].temporaryPath)
    try #require(left.width == right.width && left.height == right.height)
    let difference = try left.combined("subtract", with: right).applying("abs")
    let (mean, worst) = (try difference.measuring("avg"), try difference.measuring("max"))
    // Waves of full contrast, nine pixels long in the result: a shift of a tenth of a pixel would be 8.
    #expect(mean < 1.5 && worst <= 10, "mean \(mean), worst \(worst)")
  }

  @Test("all eight orientations come out upright", arguments: 1...8)
  func orientations(orientation: Int) throws {
    // Left half red, top right quarter blue: no turn of it is another.
    let upright = try RenderingFixture.waves(48, 32)
    let turned: VipsImage
    switch orientation {
    case 2: turned = try upright.applying("flip", ["direction": "horizontal"])
    case 3: turned = try upright.applying("rot", ["angle": "d180"])
    case 4: turned = try upright.applying("flip", ["direction": "vertical"])
    case 5:
      turned = try upright.applying("flip", ["direction": "horizontal"]).applying("rot", ["angle": "d270"])
    case 6: turned = try upright.applying("rot", ["angle": "d270"])
    case 7:
      turned = try upright.applying("flip", ["direction": "horizontal"]).applying("rot", ["angle": "d90"])
    case 8: turned = try upright.applying("rot", ["angle": "d90"])
    default: turned = upright
    }
    let tagged = try turned.editingMetadata { $0.set("orientation", orientation) }
    let source = try fixture.save(tagged, "tiffsave", "a.tif")
    let jpeg = try fixture.save(tagged, "jpegsave", "a.jpg", ["Q": 100, "subsample-mode": "off"])
    for path in [source, jpeg] {
      let recipe = try fixture.recipe(1, "", "png")
      let response = Renderer().render(try fixture.request(path, [recipe]))
      #expect(response.source?.orientation == orientation)
      #expect(response.file(1)?.width == 48 && response.source?.width == 48)
      let made = try fixture.open(recipe.temporaryPath)
      #expect(made.orientation == 1)
      #expect(try made.combined("subtract", with: upright).applying("abs").measuring("max") <= 8)
    }
  }

  @Test(
    "an animation keeps its frames, delays and loop where the format can hold them, each frame filtered alone"
  )
  func animation() throws {
    let frames = try (0..<3).map { index in
      try VipsImage.plain([Double(index) * 100, 50, 200], width: 40, height: 30)
    }
    let tall = try VipsImage.stacked(frames).editingMetadata {
      $0.set("page-height", 30)
      $0.set("delay", [100, 200, 300])
      $0.set("loop", 4)
    }
    let source = try fixture.save(tall, "gifsave", "a.gif")
    let recipes = try [
      fixture.recipe(1, "fill:20x20,circle", "webp"), fixture.recipe(2, "fill:20x20,circle", "png"),
      fixture.recipe(3, "scale:10x10", "gif"), fixture.recipe(4, "", "gif") { $0.frames = "2" },
      fixture.recipe(5, "", "webp") { $0.frames = "first" },
    ]
    let response = Renderer().render(try fixture.request(source, recipes))
    #expect(response.source?.frames == 3)
    #expect(response.file(1)?.frames == 3 && response.file(1)?.height == 20)
    #expect(response.file(2)?.frames == 1)
    #expect(response.file(3)?.frames == 3 && response.file(4)?.frames == 2 && response.file(5)?.frames == 1)
    let webp = try fixture.open(recipes[0].temporaryPath, frames: 3)
    #expect(webp.integers("delay") == [100, 200, 300])
    #expect(webp.integer("loop") == 4)
    let pixels = try webp.pixels()
    for frame in 0..<3 {
      let corner = frame * 20 * 20 * 4
      #expect(pixels[corner + 3] == 0)
      #expect(abs(Int(pixels[corner + (10 * 20 + 10) * 4]) - frame * 100) < 12)
    }
  }

  @Test("metadata: none, who owns it, or all; a position only with all, an orientation never")
  func metadata() throws {
    let tagged = try RenderingFixture.waves(60, 40).editingMetadata {
      $0.set("exif-ifd0-Copyright", "Ada (Ada, ASCII, 4 components, 4 bytes)")
      $0.set("exif-ifd0-Artist", "Grace (Grace, ASCII, 6 components, 6 bytes)")
      $0.set("exif-ifd0-Model", "Camera (Camera, ASCII, 7 components, 7 bytes)")
      $0.set("exif-ifd3-GPSLatitude", "51/1 30/1 0/1 (51, 30, 0, Rational, 3 components, 24 bytes)")
      $0.set("orientation", 6)
    }
    let source = try fixture.save(tagged, "jpegsave", "a.jpg")
    try #require(fixture.open(source).fields.contains { $0.contains("GPSLatitude") })
    for pathExtension in ["jpg", "webp", "png", "avif"] {
      for policy in ["none", "copyright", "all"] {
        let recipe = try fixture.recipe(1, "", pathExtension) { $0.metadata = policy }
        _ = try #require(Renderer().render(try fixture.request(source, [recipe])).file(1))
        let made = try fixture.open(recipe.temporaryPath)
        let exif = made.fields.filter { $0.hasPrefix("exif-") }
        #expect(
          exif.contains { $0.hasSuffix("GPSLatitude") } == (policy == "all"), "\(pathExtension) \(policy)")
        #expect(exif.contains { $0.hasSuffix("Model") } == (policy == "all"), "\(pathExtension) \(policy)")
        #expect(
          exif.contains { $0.hasSuffix("Copyright") } == (policy != "none"), "\(pathExtension) \(policy)")
        #expect(made.orientation == 1)
        #expect(made.width == 40 && made.height == 60)
      }
    }
  }

  @Test(
    "an orientation that is to be kept stays, with the pixels as they were",
    arguments: ["none", "copyright", "all"])
  func keptOrientation(metadata: String) throws {
    let tagged = try RenderingFixture.waves(60, 40).editingMetadata { $0.set("orientation", 6) }
    let source = try fixture.save(tagged, "jpegsave", "a.jpg")
    let recipe = try fixture.recipe(1, "", "jpg") {
      $0.orient = "keep"
      $0.metadata = metadata
    }
    _ = try #require(Renderer().render(try fixture.request(source, [recipe])).file(1))
    let made = try fixture.open(recipe.temporaryPath)
    #expect(made.width == 60 && made.height == 40 && made.orientation == 6)
  }

  @Test(
    "an orientation that is to be kept is applied where the format can't hold it",
    arguments: ["avif", "heic", "gif", "jpeg,avif"])
  func uprightWithoutTag(format: String) throws {
    let waves = try RenderingFixture.waves(60, 40)
    let tagged = try waves.editingMetadata { $0.set("orientation", 6) }
    let source = try fixture.save(tagged, "jpegsave", "a.jpg", ["Q": 100])
    let recipe = try fixture.recipe(1, "", "dat") {
      $0.format = format
      $0.orient = "keep"
      $0.metadata = "all"
    }
    #expect(!recipe.encoding.choices.contains { $0.keepsOrientation })
    _ = try #require(Renderer().render(try fixture.request(source, [recipe])).file(1))
    let made = try fixture.open(recipe.temporaryPath)
    #expect(made.width == 40 && made.height == 60 && made.orientation == 1)
    let expected = try waves.applying("rot", ["angle": "d90"])
    let colors = try made.extractingBands(from: 0, count: 3)
    let difference = try colors.combined("subtract", with: expected).applying("abs").measuring("avg")
    #expect(difference < 25, "\(difference)")
  }

  @Test("'same' keeps an orientation in the formats that hold it, and applies it in the others")
  func orientationOfSame() throws {
    let recipe = try fixture.recipe(1, "", "dat") {
      $0.format = "same"
      $0.orient = "keep"
    }
    let keeping = recipe.encoding.choices.filter(\.keepsOrientation).map(\.format)
    #expect(keeping == [.jpeg, .png, .webp, .tiff])
  }

  @Test("what a PNG's texts say is gone unless all is kept")
  func texts() throws {
    let tagged = try RenderingFixture.waves(30, 20).editingMetadata {
      $0.set("png-comment-0-Location", "51.5 N")
      $0.set("png-comment-1-Author", "Ada")
    }
    let source = try fixture.save(tagged, "pngsave", "a.png")
    for (metadata, count) in [("none", 0), ("copyright", 1), ("all", 2)] {
      let recipe = try fixture.recipe(1, "", "png") { $0.metadata = metadata }
      _ = try #require(Renderer().render(try fixture.request(source, [recipe])).file(1))
      #expect(
        try fixture.open(recipe.temporaryPath).fields.filter { $0.hasPrefix("png-comment") }.count == count)
    }
  }
}
