import Foundation
import ImageFilters
import TestSupport
import Testing
import Vips

@testable import ImageRendering

@Suite("A reader of image files", .timeLimit(.minutes(8)))
struct ImageReaderTests {
  private let fixture = Result { try RenderingFixture() }

  private static let limits = RenderLimits(allowedFormats: ["svg"])

  /// Documents whose parsed text differs from their rewritten text, with an effect on pixels or on what is found.
  private static let documents = [
    "<!DOCTYPE svg [<!ATTLIST rect fill CDATA \"red\">]>",
    "<!DOCTYPE svg [<!ATTLIST rect x CDATA \"9\" opacity CDATA \"0.5\">]>",
    "<!DOCTYPE svg [<!ATTLIST svg viewBox CDATA \"0 0 90 90\">]>",
    "<?php none?>", "<!-- <rect/> -->", "",
  ]

  @Test(
    "decodes the checked text of an SVG, as a rendering does, never the file itself", arguments: documents)
  func sameDocument(prologue: String) throws {
    let fixture = try fixture.get()
    let text =
      prologue + "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20\" height=\"10\" xml:base=\"/etc/\">"
      + "<rect width=\"9\" height=\"9\"/></svg>"
    let path = try fixture.write(Array(text.utf8), "a.svg")
    for chain in ["", "fit:40x40", "crop:5x5"] {
      let recipe = try fixture.recipe(0, chain, "png")
      var request = try fixture.request(path, [recipe])
      request.limits = Self.limits
      let response = Renderer().render(request)
      #expect(response.failure(0) == nil)
      let rendered = try fixture.open(recipe.temporaryPath)
      let read = try ImageReader(limits: Self.limits, frames: .first)
        .image(at: path, applying: try FilterChain(parsing: chain))
      #expect(try read.preparedForFilters().pixels() == rendered.preparedForFilters().pixels(), "\(chain)")
    }
  }

  @Test("reports a filter's failure as one of the filter, whenever libvips finds it")
  func filterFailure() throws {
    let fixture = try fixture.get()
    let sound = try fixture.save(try RenderingFixture.waves(200, 200), "pngsave", "sound.png")
    let bytes = try Data(contentsOf: URL(filePath: sound))
    let cut = try fixture.write(Array(bytes.prefix(bytes.count / 2)), "cut.png")
    for isSequential in [true, false] {
      let error = #expect(throws: RenderError.self) {
        try ImageReader(limits: RenderLimits(), frames: .first).image(
          at: sound, applying: try FilterChain(parsing: "overlay:mark")
        ) { (_) throws(FilterError) in
          // The header is whole, so that the damage is found when the overlay's pixels are computed.
          do throws(VipsError) {
            return try Loader(.png).open(cut, sequential: isSequential, failOn: "truncated")
          } catch {
            throw FilterError(.failed, error.description)
          }
        }
      }
      #expect(error?.stage == .filter && error?.code == .filterFailed, "\(String(describing: error))")
    }
  }
}
