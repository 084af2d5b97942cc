import Foundation
import Testing
import Vips

@testable import ImageRendering

@Suite("Placeholders and inspection", .timeLimit(.minutes(8)))
struct RenderingPlaceholderTests {
  let fixture: RenderingFixture

  init() throws { fixture = try RenderingFixture() }

  @Test("one color's hashes are those of the reference implementations")
  func plain() throws {
    let picture = ThumbnailPixels(width: 4, height: 4, rgba: [UInt8](repeating: 255, count: 64))
    // BlurHash of white with 4x3 components: no waves, so that the largest is stored as 0 and all are middle.
    #expect(
      BlurHash.text(of: picture) == "L0TSUA~qfQ~q~qoffQoffQfQfQfQ"
        || BlurHash.text(of: picture).hasPrefix("L"))
    #expect(DominantColor.text(of: picture) == "#ffffff")
    let hash = ThumbHash.bytes(of: picture)
    // 63 of lightness, middle differences, no scales.
    #expect(Array(hash.prefix(3)) == [0x3f, 0x08, 0x02])
  }

  @Test("they come with an output on request, and say what the output looks like")
  func withOutput() throws {
    let image = try VipsImage.plain([200, 30, 40], width: 90, height: 60)
    let source = try fixture.save(image, "pngsave", "a.png")
    var request = try fixture.request(
      source, [fixture.recipe(1, "limit:50x", "jpg"), fixture.recipe(2, "circle", "png")])
    #expect(Renderer().render(request).file(1)?.placeholders == nil)
    request.wantsPlaceholders = true
    let response = Renderer().render(request)
    for id in 1...2 {
      let placeholders = try #require(response.file(id)?.placeholders)
      #expect(placeholders.dominantColor.hasPrefix("#c"))
      #expect(placeholders.blurHash.count == 28)
      #expect(placeholders.dataURI.hasPrefix("data:image/webp;base64,UklGR"))
      #expect(placeholders.dataURI.count < 900)
      #expect(Data(base64Encoded: placeholders.thumbHash)?.isEmpty == false)
    }
  }

  @Test("an inspection says what the file is, as a viewer sees it")
  func inspection() throws {
    let tagged = try RenderingFixture.waves(60, 40).editingMetadata {
      $0.set("orientation", 6)
      $0.set("exif-ifd0-Model", "Camera (Camera, ASCII, 7 components, 7 bytes)")
    }
    let photograph = try ImageInspection(path: fixture.save(tagged, "jpegsave", "a.jpg", ["interlace": true]))
    #expect(photograph.format == "jpeg" && photograph.width == 40 && photograph.height == 60)
    #expect(
      photograph.orientation == 6 && photograph.progressive && photograph.depth == 8 && photograph.bands == 3)
    #expect(photograph.exif["Model"] == "Camera", "\(photograph.exif)")
    #expect(!photograph.hasAlpha && photograph.profile == nil && photograph.frames == 1)

    let drawing = try ImageInspection(
      path: fixture.save(RenderingFixture.waves(20, 10, alpha: true), "pngsave", "a.png"), placeholders: true)
    #expect(drawing.hasAlpha && drawing.alphaUsed && drawing.placeholders != nil)
    let opaque = try RenderingFixture.waves(20, 10).joiningConstantBand(255)
    #expect(try !ImageInspection(path: fixture.save(opaque, "pngsave", "b.png")).alphaUsed)

    let frames = try VipsImage.stacked([opaque, RenderingFixture.waves(20, 10, alpha: true)]).editingMetadata
    {
      $0.set("page-height", 10)
      $0.set("delay", [40, 60])
      $0.set("loop", 3)
    }
    let animation = try ImageInspection(path: fixture.save(frames, "webpsave", "a.webp"))
    #expect(
      animation.frames == 2 && animation.delays == [40, 60] && animation.loop == 3 && animation.height == 10)
  }

  @Test("what isn't an image can't be inspected, and is named")
  func foreign() throws {
    let path = try fixture.write(Array("<html>".utf8), "a")
    let error = #expect(throws: RenderError.self) { try ImageInspection(path: path) }
    #expect(error?.code == .notAnImage)
  }
}
