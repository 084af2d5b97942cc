import Foundation
import Testing
import Vips

@testable import ImageRendering

@Suite("Colors and formats", .timeLimit(.minutes(8)))
struct RenderingColorTests {
  let fixture: RenderingFixture

  init() throws { fixture = try RenderingFixture() }

  private func render(
    _ source: String, _ chain: String, _ pathExtension: String,
    allow: Set<String> = [], _ change: (inout EncodingSettings) -> Void = { _ in }
  ) throws -> VipsImage {
    let recipe = try fixture.recipe(1, chain, pathExtension, change)
    var request = try fixture.request(source, [recipe])
    request.limits.allowedFormats = allow
    let response = Renderer().render(request)
    _ = try #require(response.file(1), "\(String(describing: response.failure(1)))")
    return try fixture.open(recipe.temporaryPath)
  }

  private func worst(_ left: VipsImage, _ right: VipsImage) throws -> Double {
    try left.combined("subtract", with: right).applying("abs").measuring("max")
  }

  @Test("16 bits are kept to PNG and TIFF, and come down to 8 elsewhere")
  func depth() throws {
    let deep = try RenderingFixture.waves(40, 30).cast(to: .ushort).linear([257], [3]).cast(to: .ushort)
      .copied(["interpretation": "rgb16"])
    let source = try fixture.save(deep, "pngsave", "a.png")
    for pathExtension in ["png", "tif"] {
      let made = try render(source, "", pathExtension)
      #expect(made.format == .ushort && made.interpretation == .rgb16)
      #expect(try worst(made, deep) == 0)
      #expect(try render(source, "fit:20x20,grayscale", pathExtension).format == .ushort)
    }
    let shallow = try render(source, "", "webp") { $0.options["lossless"] = "true" }
    #expect(shallow.format == .uchar)
    #expect(try worst(shallow.extractingBands(from: 0, count: 3), RenderingFixture.waves(40, 30)) <= 1)
  }

  @Test("gray, gray with alpha, palettes and one bit come out as they look")
  func grays() throws {
    let gray = try RenderingFixture.waves(40, 30).extractingBands(from: 0, count: 1)
      .copied(["interpretation": "b-w"])
    let plain = try render(fixture.save(gray, "pngsave", "a.png"), "", "png")
    #expect(plain.bands == 1)
    #expect(try worst(plain, gray) == 0)
    let alpha = try gray.joiningBands([gray]).copied(["interpretation": "b-w"])
    let withAlpha = try render(fixture.save(alpha, "pngsave", "b.png"), "", "png")
    #expect(withAlpha.hasAlpha)
    #expect(try worst(withAlpha.extractingBands(from: withAlpha.bands - 1, count: 1), gray) == 0)
    let palette = try fixture.save(
      RenderingFixture.waves(40, 30, alpha: true), "pngsave", "c.png", ["palette": true])
    #expect(try render(palette, "circle", "png").bands == 4)
    let bits = try gray.applying("relational_const", ["relational": "more", "c": .doubles([127])])
    let oneBit = try render(fixture.save(bits, "pngsave", "d.png", ["bitdepth": 1]), "", "png")
    #expect(try worst(oneBit.extractingBands(from: 0, count: 1), bits) == 0)
  }

  @Test("inks and Lab are converted, with a profile and without")
  func otherSpaces() throws {
    let waves = try RenderingFixture.waves(40, 30)
    let profiled = try waves.applying(
      "icc_transform", ["output-profile": "cmyk", "input-profile": "srgb", "embedded": false])
    let made = try render(fixture.save(profiled, "jpegsave", "a.jpg", ["Q": 100]), "", "png")
    #expect(made.interpretation == .sRGB && made.bands == 3)
    let bare = try profiled.editingMetadata { $0.remove("icc-profile-data") }
    let bareMade = try render(fixture.save(bare, "tiffsave", "b.tif"), "", "png")
    #expect(bareMade.interpretation == .sRGB && bareMade.bands == 3)
    // Inks can't show every color; the mean says that nothing is upside down.
    for image in [made, bareMade] {
      let mean = try image.combined("subtract", with: waves).applying("abs").measuring("avg")
      #expect(mean < 25, "\(mean)")
    }
    let lab = try waves.converted(to: Interpretation(rawValue: "lab"))
    let fromLab = try render(fixture.save(lab, "tiffsave", "c.tif"), "", "png")
    #expect(try worst(fromLab, waves) <= 4)
  }

  @Test("an embedded profile is gone through to sRGB, or kept where that is asked for and can be")
  func profiles() throws {
    let waves = try RenderingFixture.waves(40, 30)
    let wide = try waves.applying(
      "icc_transform", ["output-profile": "p3", "input-profile": "srgb", "embedded": false])
    try #require(wide.hasField("icc-profile-data"))
    let source = try fixture.save(wide, "pngsave", "a.png")
    let converted = try render(source, "", "png")
    #expect(!converted.hasField("icc-profile-data"))
    // Saturated colors differ by a rounding or two on the way there and back.
    #expect(try converted.combined("subtract", with: waves).applying("abs").measuring("avg") < 1.5)
    let kept = try render(source, "fit:20x20", "png") { $0.profile = "keep" }
    #expect(kept.hasField("icc-profile-data"))
    let same = try render(source, "", "png") { $0.profile = "keep" }
    #expect(try worst(same, wide) == 0)
    // A filter that looks at colors needs sRGB.
    let toned = try render(source, "grayscale", "png") { $0.profile = "keep" }
    #expect(!toned.hasField("icc-profile-data"))
    let gray = try waves.extractingBands(from: 0, count: 1).copied(["interpretation": "b-w"])
    #expect(
      try render(fixture.save(gray, "pngsave", "g.png"), "flip", "png") { $0.profile = "keep" }.bands == 1)
    let profile = try fixture.write(try #require(wide.bytes("icc-profile-data")), "p3.icc")
    let tagged = try render(fixture.save(waves, "pngsave", "b.png"), "", "png") { $0.profile = profile }
    #expect(tagged.bytes("icc-profile-data") == wide.bytes("icc-profile-data"))
    #expect(try worst(tagged, wide) <= 2)
  }

  @Test(
    "an ICC file is embedded, and the pixels are in its colors",
    arguments: ["avif", "heic", "webp", "tif"])
  func profileFile(pathExtension: String) throws {
    let waves = try RenderingFixture.waves(40, 30)
    let wide = try waves.applying(
      "icc_transform", ["output-profile": "p3", "input-profile": "srgb", "embedded": false])
    let bytes = try #require(wide.bytes("icc-profile-data"))
    let profile = try fixture.write(bytes, "p3.icc")
    let source = try fixture.save(waves, "pngsave", "a.png")
    let made = try render(source, "", pathExtension) {
      $0.profile = profile
      $0.quality = "90"
    }
    #expect(made.bytes("icc-profile-data") == bytes)
    #expect(try made.combined("subtract", with: wide).applying("abs").measuring("avg") < 5)
  }

  @Test("an ICC file for JPEG XL is accepted")
  func profileOfJPEGXL() throws {
    let bytes = try VipsOperation("profile_load", ["name": "p3"]).bytes("profile")
    let profile = try fixture.write(bytes, "p3.icc")
    let source = try fixture.save(RenderingFixture.waves(40, 30), "pngsave", "a.png")
    let recipe = try fixture.recipe(1, "", "jxl") { $0.profile = profile }
    let response = try Renderer().render(fixture.request(source, [recipe]))
    #expect(response.file(1) != nil, "\(String(describing: response.failure(1)))")
  }

  @Test("a format that holds no profile gets sRGB where the source's profile is to be kept")
  func profileWithoutPlace() throws {
    let waves = try RenderingFixture.waves(40, 30)
    let wide = try waves.applying(
      "icc_transform", ["output-profile": "p3", "input-profile": "srgb", "embedded": false])
    let source = try fixture.save(wide, "pngsave", "a.png")
    func colors(_ profile: String?) throws -> VipsImage {
      try render(source, "", "gif") { $0.profile = profile }.extractingBands(from: 0, count: 3)
    }
    #expect(try worst(colors("keep"), colors("srgb")) == 0)
    #expect(try colors("keep").combined("subtract", with: waves).applying("abs").measuring("avg") < 20)
    // The candidates share the source's colors; each is written as its format can hold them.
    let recipe = try fixture.recipe(1, "", "dat") {
      $0.format = "gif,png"
      $0.profile = "keep"
    }
    #expect(recipe.encoding.choices.map(\.profile) == [.sRGB, .keep])
    #expect(DecodeRequirements(recipe).keepsColorSpace)
    let converted = try ImageEncoder(recipe.encoding.alone).prepared(wide)
    #expect(!converted.hasField("icc-profile-data"))
    #expect(try converted.combined("subtract", with: waves).applying("abs").measuring("avg") < 1.5)
  }

  @Test("an alpha meets a format without one on the background")
  func flattening() throws {
    let source = try fixture.save(
      VipsImage.plain([10, 200, 30, 128], width: 20, height: 20), "pngsave", "a.png")
    let white = try render(source, "", "jpg") { $0.quality = "100" }
    let red = try render(source, "", "jpg") {
      $0.quality = "100"
      $0.background = "#f00"
    }
    func pixel(_ image: VipsImage) throws -> [Int] { try image.pixels().prefix(3).map(Int.init) }
    for (made, expected) in try [(pixel(white), [132, 227, 142]), (pixel(red), [132, 100, 15])] {
      #expect(zip(made, expected).allSatisfy { abs($0 - $1) <= 4 }, "\(made) \(expected)")
    }
  }

  @Test("every readable format is read by its signature, whatever its name")
  func readers() throws {
    let waves = try RenderingFixture.waves(48, 32)
    let files: [(String, String, VipsArguments)] = [
      ("jpegsave", "x.png", [:]), ("pngsave", "x.jpg", [:]), ("webpsave", "x", [:]),
      ("gifsave", "x.txt", [:]),
      ("tiffsave", "x.tif", [:]), ("heifsave", "x.avif", ["compression": "av1"]),
      ("heifsave", "x.heic", ["compression": "hevc"]), ("magicksave", "x", ["format": "bmp"]),
      ("magicksave", "x", ["format": "ico"]), ("magicksave", "x", ["format": "xbm"]),
    ]
    for (saver, name, options) in files {
      let image =
        options["format"] != nil && saver == "magicksave"
        ? try waves.cropped(x: 0, y: 0, width: 32, height: 32) : waves
      let path: String
      do {
        path = try fixture.save(image, saver, name, options)
      } catch let error as VipsError where error.text.contains("blocked") || error.text.contains("lock") {
        continue
      }
      let made = try render(path, "", "png")
      #expect(made.width == image.width && made.height == 32, "\(saver) \(name)")
    }
  }

  @Test("SVG is read where it is allowed, at the size that is wanted, and never reaches out")
  func svg() throws {
    let text = """
      <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="20" height="10">
      <rect width="20" height="10" fill="#ff0000"/></svg>
      """
    let source = try fixture.write(Array(text.utf8), "a.svg")
    let made = try render(source, "scale:200x100", "png", allow: ["svg"])
    #expect(made.width == 200 && made.height == 100)
    #expect(try Array(made.pixels().prefix(3)) == [255, 0, 0])
    let secret = try fixture.save(RenderingFixture.waves(8, 8), "pngsave", "secret.png")
    for reference in [
      "file://\(secret)", secret, (secret as NSString).lastPathComponent, "http://127.0.0.1:9/x.png",
    ] {
      let hostile = text.replacingOccurrences(
        of: "</svg>", with: "<image xlink:href=\"\(reference)\" width=\"20\" height=\"10\"/></svg>")
      let path = try fixture.write(Array(hostile.utf8), "b.svg")
      let recipe = try fixture.recipe(1, "", "png")
      var request = try fixture.request(path, [recipe])
      request.limits.allowedFormats = ["svg"]
      let error = try #require(Renderer().render(request).failure(1), "\(reference)")
      #expect(error.code == .externalReference)
    }
  }

  @Test("gray stays gray in formats that hold it, unless the chain adds colors")
  func gray() throws {
    let level = try RenderingFixture.waves(120, 80).extractingBands(from: 0, count: 1).copied([
      "interpretation": "b-w"
    ])
    let clear = try level.joiningBands([level])
    let sources = try [
      fixture.save(level, "pngsave", "a.png"), fixture.save(level, "jpegsave", "a.jpg"),
      fixture.save(clear, "pngsave", "b.png"),
    ]
    let chains: [(chain: String, isGray: Bool)] = [
      ("", true), ("fit:50x,sharpen", true), ("brightness:0.1,pad:90x90:white,rotate:7:black", true),
      ("sepia", false), ("pad:90x90:red", false), ("tint:teal", false), ("duotone:black:white", true),
    ]
    for source in sources {
      for (chain, isGray) in chains {
        for format in ["png", "jpg", "tif", "webp"] {
          let recipe = try fixture.recipe(1, chain, format)
          let response = try Renderer().render(fixture.request(source, [recipe]))
          try #require(response.file(1) != nil, "\(source) \(chain) \(format)")
          let image = try fixture.open(recipe.temporaryPath)
          #expect(
            (image.bands <= 2) == (isGray && format != "webp"), "\(source) \(chain) \(format): \(image.bands)"
          )
        }
      }
    }
  }
}
