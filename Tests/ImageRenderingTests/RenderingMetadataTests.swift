import Foundation
import Testing
import Vips

@testable import ImageRendering

@Suite("Metadata of outputs", .timeLimit(.minutes(8)))
struct RenderingMetadataTests {
  let fixture: RenderingFixture

  init() throws { fixture = try RenderingFixture() }

  private static let owner = "Ada & Söhne <1843>"
  private static let packet = """
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:tiff="http://ns.adobe.com/tiff/1.0/"
    tiff:Orientation="6" xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSMapDatum="SECRET-XMP">
    <dc:rights><rdf:Alt><rdf:li xml:lang="x-default">Ada &amp; Söhne &lt;1843&gt;</rdf:li></rdf:Alt></dc:rights>
    </rdf:Description></rdf:RDF></x:xmpmeta>
    """

  /// A turned JPEG that says who owns it in EXIF or in XMP, and where it was taken in both.
  private func source(xmp: Bool) throws -> String {
    let tagged = try RenderingFixture.waves(60, 40).editingMetadata {
      if !xmp {
        for (name, value) in [("Copyright", "Ada (Ltd) 1843"), ("Artist", "Grace"), ("Model", "MODEL-X")] {
          $0.set("exif-ifd0-\(name)", "\(value) (ASCII)")
        }
        $0.set("exif-ifd3-GPSMapDatum", "SECRET-GPS (SECRET-GPS, ASCII, 11 components, 11 bytes)")
      } else {
        $0.set("xmp-data", Array(Self.packet.utf8))
      }
      $0.set("orientation", 6)
    }
    return try fixture.save(tagged, "jpegsave", "a.jpg")
  }

  private func contains(_ path: String, _ text: String) throws -> Bool {
    try Data(contentsOf: URL(filePath: path)).range(of: Data(text.utf8)) != nil
  }

  @Test(
    "who owns it stays unless nothing is kept, where it was taken only with all, and never how it was turned",
    arguments: ["jpg", "png", "webp", "tif", "avif"], [false, true])
  func policies(pathExtension: String, xmp: Bool) throws {
    let source = try source(xmp: xmp)
    try #require(try contains(source, xmp ? "SECRET-XMP" : "SECRET-GPS"))
    for policy in ["none", "copyright", "all"] {
      let recipe = try fixture.recipe(1, "", pathExtension) { $0.metadata = policy }
      _ = try #require(Renderer().render(try fixture.request(source, [recipe])).file(1))
      let made = try fixture.open(recipe.temporaryPath)
      let label = "\(pathExtension) \(policy)"
      #expect(made.orientation == 1 && made.width == 40 && made.height == 60, "\(label)")
      #expect(try !contains(recipe.temporaryPath, "tiff:Orientation=\"6\""), "\(label)")
      let ownership = Ownership(of: made)
      if policy == "none" {
        #expect(ownership.isEmpty, "\(label)")
        #expect(
          !made.fields.contains {
            $0.hasPrefix("exif-ifd") && !$0.contains("Resolution") && $0.hasSuffix("Model")
          })
      } else {
        // EXIF's texts, which are all that libvips writes into some AVIFs, are ASCII.
        let owner = ownership.copyright?.replacing("Sohne", with: pathExtension == "avif" ? "Söhne" : "Sohne")
        #expect(owner == (xmp ? Self.owner : "Ada (Ltd) 1843"), "\(label)")
        if !xmp { #expect(ownership.artist == "Grace", "\(label)") }
      }
      // libvips writes no EXIF into TIFF; of PNG's compressed text chunks the bytes say nothing.
      let secret = xmp ? "SECRET-XMP" : "SECRET-GPS"
      if policy != "all" {
        #expect(try !contains(recipe.temporaryPath, secret), "\(label)")
        #expect(!made.fields.contains { $0.contains("GPS") }, "\(label)")
        #expect(
          made.bytes("xmp-data").map { !String(decoding: $0, as: UTF8.self).contains(secret) } ?? true,
          "\(label)")
      } else if xmp {
        #expect(
          made.bytes("xmp-data").map { String(decoding: $0, as: UTF8.self).contains(secret) } == true,
          "\(label)")
      } else if pathExtension != "tif" {
        #expect(made.text("exif-ifd3-GPSMapDatum")?.contains(secret) == true, "\(label)")
      }
    }
  }

  @Test("an embedded thumbnail, which shows what was cropped away, never stays")
  func thumbnail() throws {
    // EXIF with a thumbnail, as cameras write it: little endian, IFD0 empty, IFD1 with a JPEG's place.
    let small = try Array(
      Data(contentsOf: URL(filePath: fixture.save(RenderingFixture.waves(16, 16), "jpegsave", "t.jpg"))))
    func number(_ value: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    func entry(_ tag: Int, _ type: Int, _ value: Int) -> [UInt8] {
      number(tag, 2) + number(type, 2) + number(1, 4) + number(value, 4)
    }
    let first = number(1, 2) + entry(0x112, 3, 1) + number(26, 4)
    let second =
      number(3, 2) + entry(0x103, 3, 6) + entry(0x201, 4, 68) + entry(0x202, 4, small.count) + number(0, 4)
    let block =
      Array("Exif".utf8) + [0, 0] + Array("II".utf8) + number(42, 2) + number(8, 4) + first + second + small
    let tagged = try RenderingFixture.waves(60, 40).editingMetadata { $0.set("exif-data", block) }
    let source = try fixture.save(tagged, "jpegsave", "a.jpg")
    try #require(try fixture.open(source).hasField("jpeg-thumbnail-data"))
    for policy in ["copyright", "all"] {
      let recipe = try fixture.recipe(1, "crop:10x10", "jpg") { $0.metadata = policy }
      _ = try #require(Renderer().render(try fixture.request(source, [recipe])).file(1))
      let bytes = try Array(Data(contentsOf: URL(filePath: recipe.temporaryPath)))
      #expect(
        !bytes.indices.dropLast(2).contains {
          $0 > 2 && bytes[$0] == 0xff && bytes[$0 + 1] == 0xd8 && bytes[$0 + 2] == 0xff
        })
    }
  }

  @Test("a file without anything to say says nothing", arguments: ["jpg", "png", "webp", "avif", "tif"])
  func nothing(pathExtension: String) throws {
    let source = try fixture.save(RenderingFixture.waves(60, 40, alpha: true), "pngsave", "a.png")
    let frames = try VipsImage.stacked([
      RenderingFixture.waves(40, 30),
      RenderingFixture.waves(40, 30, alpha: true).extractingBands(from: 1, count: 3),
    ])
    .editingMetadata {
      $0.set("page-height", 30)
      $0.set("delay", [100, 200])
    }
    for path in [source, try fixture.save(frames, "webpsave", "b.webp")] {
      for policy in ["none", "copyright"] {
        let recipe = try fixture.recipe(1, "", pathExtension) { $0.metadata = policy }
        let file = try #require(Renderer().render(try fixture.request(path, [recipe])).file(1))
        let made = try fixture.open(recipe.temporaryPath, frames: file.frames)
        #expect(!made.fields.contains { $0.hasPrefix("exif-") || $0 == "xmp-data" }, "\(policy)")
        #expect(
          try !contains(recipe.temporaryPath, "EXIF") && !contains(recipe.temporaryPath, "Exif"), "\(policy)")
        // Its pixels are all there.
        #expect(try made.pixels().count == made.pixelBytes)
        #expect(file.bytes == (try Data(contentsOf: URL(filePath: recipe.temporaryPath)).count))
      }
    }
  }
}
