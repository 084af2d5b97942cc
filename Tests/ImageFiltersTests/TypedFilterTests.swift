import Foundation
import ImageFilters
import TestSupport
import Testing
import Vips

@Suite("Typed filters", .timeLimit(.minutes(8)))
struct TypedFilterTests {
  @Test("Sources/ImageFilters/Typed is what the table says; `make generated` writes it")
  func current() throws {
    for file in TypedFilterWriter().files { #expect(try file.isCurrent(), "\(file.path)") }
  }

  @Test("a typed filter is the chain of its text")
  func texts() throws {
    let filters: [(FilterChain, String)] = [
      (.fill(width: 96, height: 96), "fill:96x96"), (.limit(width: 800), "limit:800x"),
      (.fit(height: 50, kernel: .lanczos2), "fit:x50:kernel=lanczos2"), (.scale(.percent(50)), "scale:50%"),
      (.pad(width: 10, height: 20, background: .white, gravity: .southeast), "pad:10x20:white:southeast"),
      (.circle, "circle"), (.sharpen(), "sharpen"), (.rotate(-90), "rotate:270"),
      (.rounded(radius: 12, tl: .percent(5)), "rounded:12:tl=5%"), (.brightness(0.1), "brightness:0.1"),
      (.crop(CropArea(x: 20, y: -10, width: 5, height: 6)), "crop:5x6+20-10"),
      (.transition(from: "a,b.png", duration: .seconds(1)), "transition:a%2Cb.png:duration=1s"),
      (.overlay("logo.png", blend: .colorDodge), "overlay:logo.png:blend=colour-dodge"),
      (.ciSepiaTone(intensity: 0.5), "ci:CISepiaTone:inputIntensity=0.5"),
      (.duotone(dark: .black, light: Color(red: 1, green: 2, blue: 3)), "duotone:black:#010203"),
      ("fill:96x96,circle", "fill:96x96,circle"),
      (FilterChain(.limit(width: 800), .sharpen()), "limit:800x,sharpen"),
    ]
    for (filter, text) in filters { #expect(try filter == FilterChain(parsing: text), "\(text)") }
  }

  @Test(
    "an argument that is out of range fails when it is applied, and has no other chain's identifier",
    arguments: [
      .fill(width: 0, height: 5), .limit(width: -3), .sharpen(sigma: .nan), .brightness(.infinity),
      .blur(radius: -1), .rounded(), .text(""), .ciColorMatrix(rVector: [1]), "fill:96xx", "nonsense",
      FilterChain(.circle, .hue(4000)),
      FilterChain(combining: Array(repeating: .circle, count: ChainLimits.steps + 1)),
    ] as [FilterChain])
  func invalid(_ filter: FilterChain) throws {
    let image = try VipsImage.plain([9, 9, 9], width: 8, height: 8)
    let error = try #require(throws: FilterError.self) { try filter.check() }
    #expect(throws: error) { try filter.apply(to: image) }
    #expect(throws: error) { try image.filtered(.flip, filter) }
    #expect(throws: FilterError.self) { try FilterChain([filter]) }
    #expect(throws: FilterError.self) { try FilterChain(parsing: filter.identifier) }
  }

  /// Counts its runs, and keeps half of the width.
  private struct Half: ImageFilter {
    let runs: Shared<Int>
    var identifier: String { "half" }
    func apply(to image: VipsImage) throws(FilterError) -> VipsImage {
      runs.change { $0 += 1 }
      return try image.imageScaled(to: Size(width: image.width / 2, height: image.height))
    }
  }

  @Test("a program's own filter runs in a chain, once for each frame, between the others")
  func own() throws {
    let runs = Shared(0)
    let chain = FilterChain(.scale(width: 40, height: 30), Half(runs: runs), .circle)
    #expect(chain.hasOwnFilters && chain.count == 3)
    #expect(chain.identifier == FilterChain.scale(width: 40, height: 30).identifier + ",half,circle")
    let still = try VipsImage.plain([90, 120, 200], width: 80, height: 60)
    #expect(try chain.apply(to: still).size == Size(width: 20, height: 20) && runs.value == 1)
    let frames = try VipsImage.stacked([still, still, still]).editingMetadata { $0.set("page-height", 60) }
    let made = try chain.apply(to: frames)
    #expect(made.pageCount == 3 && made.size == Size(width: 20, height: 20) && runs.value == 4)
    #expect(chain != FilterChain(.scale(width: 40, height: 30), .circle))
  }

  @Test("a program's own filter is none of the table's, whatever its name", arguments: FilterChain.knownNames)
  func namesake(name: String) throws {
    let own = FilterChain(DynamicImageFilter(name) { $0 })
    #expect(try own.firstScale(of: Size(width: 100, height: 50)) == nil)
    #expect(!own.resizesFirst && !own.keepsColorSpace && !own.keepsGray && !own.makesFrames)
    #expect(own.references.isEmpty && own.fonts.isEmpty && own.frameCount == 1)
    let image = try VipsImage.plain([9, 9, 9], width: 8, height: 8)
    #expect(try own.apply(to: image).size == Size(width: 8, height: 8))
    // In a chain with filters whose files are replaced, it stays what it is.
    let chain = FilterChain(.overlay("a.png"), .text("a", font: "./f.ttf"), DynamicImageFilter(name) { $0 })
    let replaced = chain.replacingReferences { "b-" + $0 }.placingFontFiles { "/c" + $0 }
    #expect(replaced.hasOwnFilters && replaced.references == ["b-a.png"] && replaced.fonts == ["/c./f.ttf"])
    // A worker that decoded it would apply another filter.
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(chain) }
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(own) }
  }
}
