import Foundation
import ImageFilters
import Testing
import Vips

@testable import ImageRendering

/// Every kind of source in every format that is written: the image looks the same.
@Suite("Sources by formats", .timeLimit(.minutes(8)))
struct RenderingMatrixTests {
  let fixture: RenderingFixture

  init() throws { fixture = try RenderingFixture() }

  /// A file, and how it looks: sRGB, perhaps with an alpha.
  struct Source {
    let path: String
    let look: VipsImage
    var isDeep = false
    /// How far a mean may be from the look where nothing is lost by the output.
    var tolerance = 1.0
  }

  static let kinds = [
    "rgb", "rgba", "rgb16", "rgba16", "gray", "gray-alpha", "gray16", "1 bit", "2 bits", "4 bits", "palette",
    "palette-alpha", "cmyk jpeg", "cmyk tiff", "lab tiff", "float tiff", "p3 png", "p3 jpeg", "p3 alpha",
    "1 bit tiff",
    "rgba16 tiff", "webp-alpha", "gif", "avif", "interlaced", "progressive",
  ]

  private func source(_ kind: String) throws -> Source {
    let waves = try RenderingFixture.waves(40, 30)
    let clear = try RenderingFixture.waves(40, 30, alpha: true)
    let gray = try waves.extractingBands(from: 0, count: 1).copied(["interpretation": "b-w"])
    let grayLook = try gray.joiningBands([gray, gray]).copied(["interpretation": "srgb"])
    func deep(_ image: VipsImage) throws -> VipsImage {
      try image.linear([257], [0]).cast(to: .ushort)
        .copied(["interpretation": image.bands < 3 ? "grey16" : "rgb16"])
    }
    func p3(_ image: VipsImage) throws -> VipsImage {
      try image.applying(
        "icc_transform", ["output-profile": "p3", "input-profile": "srgb", "embedded": false])
    }
    func png(_ image: VipsImage, _ options: VipsArguments = [:]) throws -> String {
      try fixture.save(image, "pngsave", "a.png", options)
    }
    func posterized(_ bits: Int) throws -> Source {
      let path = try png(gray, ["bitdepth": .integer(bits)])
      let read = try fixture.open(path).extractingBands(from: 0, count: 1)
      return Source(path: path, look: try read.joiningBands([read, read]).copied(["interpretation": "srgb"]))
    }
    switch kind {
    case "rgb": return Source(path: try png(waves), look: waves)
    case "rgba": return Source(path: try png(clear), look: clear)
    case "rgb16": return Source(path: try png(deep(waves)), look: waves, isDeep: true)
    case "rgba16": return Source(path: try png(deep(clear)), look: clear, isDeep: true)
    case "rgba16 tiff":
      return Source(path: try fixture.save(deep(clear), "tiffsave", "a.tif"), look: clear, isDeep: true)
    case "gray": return Source(path: try png(gray), look: grayLook)
    case "gray16": return Source(path: try png(deep(gray)), look: grayLook, isDeep: true)
    case "gray-alpha":
      return Source(
        path: try png(gray.joiningBands([gray]).copied(["interpretation": "b-w"])),
        look: try grayLook.joiningBands([gray]).copied(["interpretation": "srgb"]))
    case "1 bit": return try posterized(1)
    case "2 bits": return try posterized(2)
    case "4 bits": return try posterized(4)
    case "1 bit tiff":
      let bits = try gray.applying("relational_const", ["relational": "more", "c": .doubles([127])])
      let look = try bits.joiningBands([bits, bits]).copied(["interpretation": "srgb"])
      return Source(path: try fixture.save(bits, "tiffsave", "a.tif", ["bitdepth": 1]), look: look)
    case "palette": return Source(path: try png(waves, ["palette": true]), look: waves, tolerance: 8)
    case "palette-alpha": return Source(path: try png(clear, ["palette": true]), look: clear, tolerance: 12)
    case "cmyk jpeg", "cmyk tiff":
      let inks = try waves.applying(
        "icc_transform", ["output-profile": "cmyk", "input-profile": "srgb", "embedded": false])
      let path =
        kind == "cmyk jpeg"
        ? try fixture.save(inks, "jpegsave", "a.jpg", ["Q": 100])
        : try fixture.save(inks.editingMetadata { $0.remove("icc-profile-data") }, "tiffsave", "a.tif")
      // Inks can't show every color.
      return Source(path: path, look: waves, tolerance: 25)
    case "lab tiff":
      let lab = try waves.converted(to: Interpretation(rawValue: "lab"))
      return Source(path: try fixture.save(lab, "tiffsave", "a.tif"), look: waves)
    case "float tiff":
      let light = try waves.converted(to: Interpretation(rawValue: "scrgb"))
      return Source(path: try fixture.save(light, "tiffsave", "a.tif"), look: waves)
    case "p3 png": return Source(path: try png(p3(waves)), look: waves, tolerance: 2)
    case "p3 alpha": return Source(path: try png(p3(clear)), look: clear, tolerance: 2)
    case "p3 jpeg":
      return Source(
        path: try fixture.save(p3(waves), "jpegsave", "a.jpg", ["Q": 100]), look: waves, tolerance: 4)
    case "webp-alpha":
      return Source(path: try fixture.save(clear, "webpsave", "a.webp", ["lossless": true]), look: clear)
    case "gif": return Source(path: try fixture.save(waves, "gifsave", "a.gif"), look: waves, tolerance: 12)
    case "avif":
      return Source(
        path: try fixture.save(waves, "heifsave", "a.avif", ["compression": "av1", "Q": 90]), look: waves,
        tolerance: 4)
    case "interlaced": return Source(path: try png(waves, ["interlace": true]), look: waves)
    default:
      return Source(
        path: try fixture.save(waves, "jpegsave", "a.jpg", ["Q": 100, "interlace": true]), look: waves,
        tolerance: 3)
    }
  }

  /// As it looks on white.
  private func onWhite(_ image: VipsImage) throws -> VipsImage {
    let flat = try FilterChain(parsing: "flatten:white").apply(to: image)
    return flat.format == .ushort ? try flat.converted(to: .sRGB) : flat
  }

  @Test("look the same in each, with their depth and alpha where the format has them", arguments: kinds)
  func looks(kind: String) throws {
    let source = try source(kind)
    // How much an encoder may lose, in the mean.
    let formats: [(name: String, loss: Double)] = [
      ("jpg", 4), ("png", 0), ("webp", 5), ("tif", 0), ("gif", 20), ("avif", 6),
    ]
    let expected = try onWhite(source.look)
    for profile in ["srgb", "keep"] {
      for (name, loss) in formats {
        let recipe = try fixture.recipe(1, "", name) { $0.profile = profile }
        let response = Renderer().render(try fixture.request(source.path, [recipe]))
        let label = "\(kind) to \(name), profile \(profile)"
        _ = try #require(response.file(1), "\(label): \(String(describing: response.failure(1)))")
        let made = try fixture.open(recipe.temporaryPath)
        let definition = try #require(EncoderTable.definition(of: recipe.encoding.format))
        #expect(made.width == 40 && made.height == 30, "\(label)")
        // A GIF's reader speaks of an alpha where a palette has a clear color that no pixel uses.
        let hasAlpha =
          try name == "gif" && made.hasAlpha
          ? made.extractingBands(from: made.bands - 1, count: 1).measuring("min") < 255 : made.hasAlpha
        #expect(hasAlpha == (source.look.hasAlpha && definition.holdsAlpha), "\(label)")
        if profile == "srgb" {
          #expect((made.format == .ushort) == (source.isDeep && definition.holds16Bits), "\(label)")
          #expect(!made.hasField("icc-profile-data"), "\(label)")
        }
        // A GIF's alpha is all or nothing.
        if name == "gif", source.look.hasAlpha { continue }
        let difference = try onWhite(made).combined("subtract", with: expected).applying("abs").measuring(
          "avg")
        #expect(difference <= source.tolerance + loss, "\(label): \(difference)")
      }
    }
  }

  @Test("formats beyond the safe ones are read where they are allowed, and only there")
  func onRequest() throws {
    let waves = try RenderingFixture.waves(40, 30)
    for name in [
      "VipsForeignSaveJp2k", "VipsForeignSaveJxl", "VipsForeignSavePpm", "VipsForeignSaveFits",
      "VipsForeignSaveMagick",
    ] {
      try VipsRuntime.setBlocked(false, operation: name)
    }
    let files: [(format: ImageFormat, saver: String, image: VipsImage, options: VipsArguments)] = [
      (.ppm, "ppmsave", waves, [:]), (.jp2k, "jp2ksave", waves, ["Q": 90]), (.jxl, "jxlsave", waves, [:]),
      (.fits, "fitssave", waves, [:]),
      (.psd, "magicksave", waves, ["format": "psd"]),
    ]
    var paths: [(ImageFormat, String)] = [(.hdr, try fixture.write(Self.radiance(waves), "a.hdr"))]
    for (format, saver, image, options) in files where try VipsRuntime.hasOperation(saver) {
      paths.append((format, try fixture.save(image, saver, "a.\(format.rawValue)", options)))
    }
    for (format, path) in paths where try VipsRuntime.hasOperation(Loader(format).nickname) {
      let recipe = try fixture.recipe(1, "", "png")
      var request = try fixture.request(path, [recipe])
      #expect(Renderer().render(request).failure(1)?.code == .unsupportedFormat, "\(format)")
      request.limits.allowedFormats = [format.rawValue]
      let response = Renderer().render(request)
      _ = try #require(response.file(1), "\(format): \(String(describing: response.failure(1)))")
      #expect(response.source?.format == format.rawValue)
      let difference = try fixture.open(recipe.temporaryPath).combined("subtract", with: waves).applying(
        "abs"
      )
      .measuring("avg")
      #expect(difference < 6, "\(format): \(difference)")
    }
    let pdf = """
      %PDF-1.4
      1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
      2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
      3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 40 30] /Contents 4 0 R>> endobj
      4 0 obj <</Length 27>> stream
      1 0 0 rg 0 0 40 30 re f
      endstream endobj
      trailer <</Root 1 0 R>>
      """
    let recipe = try fixture.recipe(1, "scale:80x60", "png")
    var request = try fixture.request(fixture.write(Array(pdf.utf8), "a.pdf"), [recipe])
    request.limits.allowedFormats = ["pdf"]
    guard try VipsRuntime.hasOperation("pdfload") else { return }
    _ = try #require(Renderer().render(request).file(1))
    #expect(try Array(fixture.open(recipe.temporaryPath).pixels().prefix(3)) == [255, 0, 0])
  }

  /// A Radiance image (RGBE, without run lengths), which not every libvips writes right.
  private static func radiance(_ image: VipsImage) throws -> [UInt8] {
    var file = Array("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y \(image.height) +X \(image.width)\n".utf8)
    let pixels = try image.pixels()
    for start in stride(from: 0, to: pixels.count, by: 3) {
      let light = pixels[start..<start + 3].map { value in
        let level = Double(value) / 255
        return level <= 0.04045 ? level / 12.92 : pow((level + 0.055) / 1.055, 2.4)
      }
      let exponent = max(-100, (log2(light.max() ?? 0)).rounded(.down) + 1)
      file += light.map { UInt8(min(255, $0 / exp2(exponent) * 256)) } + [UInt8(128 + exponent)]
    }
    return file
  }
}
