import ImageFilters
import Testing

@testable import ImageRendering

/// Outputs whose sizes are too large for the limit or for their format.
@Suite("Sizes that are refused", .timeLimit(.minutes(8)))
struct RefusedSizeTests {
  @Test(
    "by the limit of pixels, without decoding the source",
    arguments: ["scale:200x200", "rotate:30", "pad:100x100"])
  func limit(chain: String) throws {
    let fixture = try RenderingFixture()
    let source = try fixture.save(RenderingFixture.waves(80, 60), "pngsave", "a.png")
    var request = try fixture.request(
      source, [fixture.recipe(1, chain, "png"), fixture.recipe(2, chain, "webp")])
    request.limits.maxPixels = 9000
    let response = Renderer().render(request)
    for id in 1...2 {
      let error = try #require(response.failure(id))
      #expect(error.code == .filterFailed && error.stage == .filter, "\(error)")
      guard case .filterPixels(_, 9000)? = error.reason else {
        Issue.record("\(error)")
        continue
      }
    }
    #expect(response.counts.decodes == 0)
  }

  @Test("leave the other outputs of the source")
  func others() throws {
    let fixture = try RenderingFixture()
    let source = try fixture.save(RenderingFixture.waves(80, 60), "pngsave", "a.png")
    var request = try fixture.request(
      source, [fixture.recipe(1, "scale:200x200", "png"), fixture.recipe(2, "fit:20x", "png")])
    request.limits.maxPixels = 9000
    let response = Renderer().render(request)
    #expect(response.failure(1) != nil && response.file(2)?.width == 20)
  }
}
