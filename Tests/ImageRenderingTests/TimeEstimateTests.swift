import ImageFilters
import Testing
import Vips

@testable import ImageRendering

@Suite("The estimate of a rendering's time", .timeLimit(.minutes(8)))
struct TimeEstimateTests {
  private func seconds(
    _ chains: [String], _ side: Int, as pathExtension: String = "png", of format: ImageFormat = .png,
    frames: Int = 1, _ change: (inout EncodingSettings) -> Void = { _ in }
  ) throws -> Double {
    let shape = SourceShape(
      format: format, stored: Size(width: side, height: side), frames: frames, orientation: 1)
    let recipes = try chains.enumerated().map { id, chain in
      var settings = EncodingSettings()
      change(&settings)
      return RenderRecipe(
        id: id, chain: try FilterChain(parsing: chain),
        encoding: try Encoding(resolving: settings, pathExtension: pathExtension), temporaryPath: "")
    }
    return TimeEstimate(of: shape, recipes: recipes).seconds
  }

  @Test("grows with pixels, filters, frames and encodings")
  func grows() throws {
    let small = try seconds(["fit:100x100"], 1000)
    #expect(small > 0)
    #expect(try seconds(["fit:100x100"], 4000) > 10 * small)
    #expect(try seconds(["blur:3"], 1000) > seconds([""], 1000))
    #expect(try seconds(["blur:3,median:5"], 1000) > seconds(["blur:3"], 1000))
    #expect(
      try seconds([""], 500, as: "webp", of: .gif, frames: 20) > 10 * seconds([""], 500, as: "webp", of: .gif)
    )
    #expect(try seconds([""], 1000, as: "avif") > seconds([""], 1000, as: "jpg"))
    #expect(try seconds([""], 1000, as: "jpg") { $0.maxBytes = 1000 } > seconds([""], 1000, as: "jpg"))
  }

  @Test("counts what chains begin with alike once, and equal outputs once")
  func shared() throws {
    let one = try seconds(["blur:3,fit:50x50"], 1000)
    #expect(try seconds(["blur:3,fit:50x50", "blur:3,fit:50x50"], 1000) == one)
    let both = try seconds(["blur:3,fit:50x50", "blur:3,flip,fit:50x50"], 1000)
    #expect(try both < one + seconds(["blur:3,flip,fit:50x50"], 1000))
  }

  @Test("is of the right magnitude: thumbnails take a moment, and large images in slow formats minutes")
  func magnitude() throws {
    #expect(try seconds(["fit:200x200"], 3000, as: "jpg", of: .jpeg) < 1)
    #expect(try seconds([""], 10_000, as: "avif", of: .jpeg) > 20)
  }

  @Test("is none for a recipe that fails a check")
  func refused() throws {
    #expect(try seconds([""], 200_000) == 0)
  }
}
