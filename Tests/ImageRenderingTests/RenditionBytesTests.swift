import Foundation
import Testing
import Vips

@testable import ImageRendering

/// A stored rendition is the image that its filters make: nothing of it is lost that an encoder writes.
@Suite("Renditions kept for later runs", .timeLimit(.minutes(8)))
struct RenditionBytesTests {
  let fixture: RenderingFixture

  init() throws { fixture = try RenderingFixture() }

  /// Resolutions in pixels per millimeter that single precision can't hold: of 72 and of 300 dots per inch.
  private func sources() throws -> [String] {
    let waves = try RenderingFixture.waves(90, 70)
    let clear = try RenderingFixture.waves(90, 70, alpha: true)
    func tagged(_ image: VipsImage, _ dots: Double) throws -> VipsImage {
      try image.copied(["xres": .double(dots / 25.4), "yres": .double(dots / 25.4 + 0.1)])
    }
    return [
      try fixture.save(tagged(clear, 300), "pngsave", "a.png"),
      try fixture.save(tagged(waves, 300), "tiffsave", "a.tif"),
      try fixture.save(tagged(clear, 72), "tiffsave", "b.tif"),
      try fixture.save(described(tagged(waves, 72)), "jpegsave", "a.jpg"),
      try fixture.save(described(tagged(waves, 300)), "webpsave", "a.webp"),
      try fixture.save(described(tagged(clear, 300)), "pngsave", "b.png"),
    ]
  }

  /// An image that is turned, with texts that XML can't hold.
  private func described(_ image: VipsImage) throws -> VipsImage {
    try image.editingMetadata { editor in
      editor.set("orientation", 6)
      for (field, value) in [
        ("exif-ifd0-Artist", "Ren\u{e9} <&>"), ("exif-ifd0-Copyright", "a\u{1}b\r\nc "),
        ("exif-ifd0-Model", ""),
      ] {
        editor.set(
          field,
          "\(value) (\(value), ASCII, \(value.utf8.count + 1) components, \(value.utf8.count + 1) bytes)")
      }
      editor.set("png-comment-0-Comment", "line\r\nline \u{7}")
    }
  }

  private static let settings: [(name: String, change: @Sendable (inout EncodingSettings) -> Void)] = [
    ("as usual", { _ in }),
    ("all metadata", { $0.metadata = "all" }),
    ("its profile", { $0.profile = "keep" }),
    ("no metadata", { $0.metadata = "none" }),
  ]

  @Test(
    "an output has the same bytes from a stored rendition and from its source",
    arguments: ["jpg", "png", "webp", "gif", "tif", "avif"])
  func sameBytes(pathExtension: String) throws {
    var compared = 0
    for source in try sources() {
      for chain in ["fit:40x40", "pixelate:4", "blur:2", "fit:40x40,sepia,pixelate:3"] {
        for (name, change) in Self.settings {
          let recipe = try fixture.recipe(1, chain, pathExtension, change)
          let direct = Renderer().render(try fixture.request(source, [recipe]))
          let expected = try #require(
            direct.file(1)?.digest, "\(source) \(chain): \(String(describing: direct.failure(1)))")

          var keeping = try fixture.request(source, [recipe])
          keeping.renditions.policy = .always
          keeping.renditions.files = (0..<4).map { _ in fixture.path("rendition") }
          let kept = Renderer().render(keeping)
          #expect(kept.file(1)?.digest == expected, "\(source) \(chain), \(name): while it is kept")
          #expect(!kept.renditions.isEmpty, "\(source) \(chain)")

          // From each of them: the chain's end, and where it goes on.
          for rendition in kept.renditions {
            var reusing = try fixture.request(source, [recipe])
            reusing.renditions.stored = [rendition.key: rendition.path]
            let reused = Renderer().render(reusing)
            #expect(reused.counts.renditionsReused == 1, "\(source) \(chain)")
            #expect(reused.file(1)?.digest == expected, "\(source) \(chain), \(name): from its rendition")
            compared += 1
          }
        }
      }
    }
    #expect(compared >= 120)
  }
}
