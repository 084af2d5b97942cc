import Foundation
import ImageCaches
import ImageFilters
import Testing
import Vips

@testable import ImageRendering

@Suite("Transitions, overlays and keys", .timeLimit(.minutes(8)))
struct RenderingTransitionTests {
  let fixture: RenderingFixture

  init() throws { fixture = try RenderingFixture() }

  private func request(_ recipes: [RenderRecipe]) throws -> RenderRequest {
    let blue = try VipsImage.plain([0, 0, 255], width: 30, height: 60)
    let red = try VipsImage.plain([255, 0, 0], width: 60, height: 40)
    let before = try fixture.save(blue, "pngsave", "before.png")
    var request = try fixture.request(fixture.save(red, "pngsave", "a.png"), recipes)
    request.auxiliary["before"] = AuxiliarySource(.path(before), digest: ContentDigest(hashing: [1]))
    return request
  }

  @Test(
    "goes from one image to the other, once, in the time that was asked for",
    arguments: ["crossdissolve", "flip-left", "flip-right", "flip-top", "flip-bottom"], ["webp", "gif"])
  func kinds(kind: String, pathExtension: String) throws {
    let recipe = try fixture.recipe(1, "transition:before:\(kind):500ms:10", pathExtension)
    let response = Renderer().render(try request([recipe]))
    let file = try #require(response.file(1), "\(String(describing: response.failure(1)))")
    #expect(file.frames == 5 && file.width == 60 && file.height == 40)
    let made = try fixture.open(recipe.temporaryPath, frames: 5)
    #expect(made.integers("delay")?.reduce(0, +) == 500)
    #expect(made.integer("loop") == 1)
    func middle(_ frame: Int) throws -> [Int] {
      try made.cropped(x: 30, y: frame * 40 + 20, width: 1, height: 1).pixels().prefix(3).map(Int.init)
    }
    #expect(try middle(0)[2] > 240 && middle(0)[0] < 15)
    #expect(try middle(4)[0] > 240 && middle(4)[2] < 15)
    if kind == "crossdissolve" { #expect(try (90...165).contains(middle(2)[0])) }
  }

  @Test("frames that look alike are one in WebP, with the time of all, and the result says so")
  func alike() throws {
    let recipe = try fixture.recipe(1, "transition:self:crossdissolve:400ms:10", "webp")
    var request = try request([recipe])
    request.auxiliary["self"] = AuxiliarySource(request.source, digest: request.sourceDigest)
    let file = try #require(Renderer().render(request).file(1))
    #expect(file.frames == 1)
  }

  @Test("GIF's hundredths of a second add up to the milliseconds")
  func hundredths() {
    #expect(FrameTiming.hundredths([33, 33, 34, 33, 33, 34]).reduce(0, +) == 200)
    #expect(FrameTiming.hundredths([40, 0, 10, 100]) == [40, 0, 10, 100])
    #expect(FrameTiming.hundredths([17, 17, 16]) == [20, 20, 20])
  }

  @Test("a flip to the left is not a flip to the right")
  func directions() throws {
    func frame(_ kind: String) throws -> [UInt8] {
      let recipe = try fixture.recipe(1, "transition:before:\(kind):500ms:10", "webp") {
        $0.options["lossless"] = "true"
      }
      _ = try #require(Renderer().render(try request([recipe])).file(1))
      return try fixture.open(recipe.temporaryPath, frames: 5).cropped(x: 0, y: 40, width: 60, height: 40)
        .pixels()
    }
    let frames = try ["flip-left", "flip-right", "flip-top", "flip-bottom"].map(frame)
    #expect(Set(frames).count == 4)
  }

  @Test("a format that holds no frames can't hold a transition")
  func still() throws {
    let response = Renderer().render(try request([fixture.recipe(1, "transition:before", "png")]))
    #expect(response.failure(1)?.code == .noFrames)
  }

  @Test("an overlay lies where gravity and offsets say, and an image without alpha stays without")
  func overlay() throws {
    let recipes = try [
      fixture.recipe(1, "overlay:before:southeast:5:3:scale=0.2", "png"),
      fixture.recipe(2, "overlay:before:northwest:scale=0.2:tile=true", "png"),
      fixture.recipe(3, "mask:before", "png"), fixture.recipe(4, "overlay:nowhere", "png"),
    ]
    let response = Renderer().render(try request(recipes))
    // 6x12 blue pixels, 5 from the right and 3 from below.
    let placed = try fixture.open(recipes[0].temporaryPath)
    #expect(placed.bands == 3)
    let pixels = try placed.pixels()
    var blue: [(Int, Int)] = []
    for y in 0..<40 {
      for x in 0..<60 where pixels[(y * 60 + x) * 3 + 2] > 128 { blue.append((x, y)) }
    }
    #expect(blue.count == 72)
    #expect(blue.first.map { $0 == (49, 25) } == true && blue.last.map { $0 == (54, 36) } == true)
    let tiled = try fixture.open(recipes[1].temporaryPath)
    #expect(try tiled.extractingBands(from: 0, count: 1).measuring("max") == 0)
    // Blue is dark: little of the image is left.
    let masked = try fixture.open(recipes[2].temporaryPath)
    #expect(masked.bands == 4)
    #expect(try abs(masked.extractingBands(from: 3, count: 1).measuring("avg") - 0.0722 * 255) < 2)
    #expect(response.failure(4)?.message.contains("nowhere") == true)
  }

  @Test("a key changes with all that pixels depend on, and with nothing else")
  func keys() throws {
    let content = ContentDigest(hashing: [1, 2, 3])
    func key(_ chain: String, _ pathExtension: String = "png", _ auxiliary: [String: ContentDigest] = [:])
      throws -> ContentDigest
    {
      try RenderKeys.output(
        of: content, chain: FilterChain(parsing: chain),
        encoding: Encoding(resolving: EncodingSettings(), pathExtension: pathExtension), auxiliary: auxiliary)
    }
    #expect(try key("fill:10x10") == key("FILL:10x10:centre"))
    let logo = ContentDigest(hashing: [4])
    let different = try [
      key("fill:10x10"), key("fill:10x11"), key("fill:10x10", "jpg"), key("overlay:a"),
      key("overlay:a", "png", ["a": logo]),
      key("overlay:a", "png", ["a": content]), key("text:a"), key("text:a:serif"), key("text:a:sans bold"),
    ]
    #expect(Set(different).count == different.count)
    // An image counts by its content: a URL may have a password, or a signature of this hour.
    #expect(try key("overlay:a", "png", ["a": logo]) == key("overlay:b", "png", ["b": logo]))
    // What a chain doesn't name doesn't count.
    #expect(try key("flip", "png", ["a": logo]) == key("flip"))
    #expect(FontFile.path(for: "sans bold") != nil)
    #expect(FontFile.path(for: "sans bold") != FontFile.path(for: "sans"))
  }

  @Test("a font is its file's: another file is another image and another key, and no font is an error")
  func fonts() throws {
    // Whatever fonts the machine has; it has one at least, or Pango could write nothing.
    let descriptions = ["sans", "serif", "monospace", "sans bold", "serif italic"]
    let files = Set(descriptions.compactMap { FontFile.path(for: $0) }).sorted()
    var images: Set<[UInt8]> = []
    var keys: Set<ContentDigest> = []
    for file in files {
      let bytes = try Array(Data(contentsOf: URL(filePath: file)))
      let own = try fixture.write(bytes, (file as NSString).lastPathComponent)
      let recipe = try fixture.recipe(1, "text:Hamburg:font=\(own):size=12:colour=blue", "png")
      let response = Renderer().render(try request([recipe]))
      _ = try #require(response.file(1), "\(String(describing: response.failure(1)))")
      images.insert(try fixture.open(recipe.temporaryPath).pixels())
      keys.insert(
        RenderKeys.output(of: ContentDigest(hashing: [1]), chain: recipe.chain, encoding: recipe.encoding))
    }
    #expect(images.count == files.count && keys.count == files.count)
    let text = try fixture.write(Array("no font".utf8), "a.ttf")
    let failure = Renderer().render(try request([fixture.recipe(1, "text:a:font=\(text)", "png")])).failure(1)
    #expect(failure?.message.contains("isn't a readable font file") == true, "\(String(describing: failure))")
  }
}
