import Testing
import Vips

@testable import ImageFilters

/// The sizes of imagemill-filters(7), worked out by hand.
@Suite("Sizes of resized images", .timeLimit(.minutes(8)))
struct ResizingSizeTests {
  private func size(_ chain: String, _ width: Int, _ height: Int) throws -> [Int] {
    let result = try FilterChain(parsing: chain).apply(to: TestImage.plain([10, 200, 90], width, height))
    return [result.width, result.height]
  }

  @Test(
    "are those of the table",
    arguments: [
      ("scale:100x50", 640, 480, 100, 50), ("scale:100x", 640, 480, 100, 75),
      ("scale:x100", 640, 480, 133, 100),
      ("scale:50%", 641, 479, 321, 240), ("scale:10%", 4, 4, 1, 1), ("scale:1%", 50, 149, 1, 1),
      ("scale:150%", 3, 5, 5, 8), ("scale:1x1", 640, 480, 1, 1), ("scale:x1", 10, 640, 1, 1),
      ("fit:100x100", 640, 480, 100, 75), ("fit:100x100", 480, 640, 75, 100),
      ("fit:100x75", 640, 480, 100, 75),
      ("fit:100x74", 640, 480, 99, 74), ("fit:1000x1000", 64, 48, 1000, 750), ("fit:100x", 640, 480, 100, 75),
      ("fit:x100", 640, 480, 133, 100), ("fit:50%", 640, 480, 320, 240), ("fit:100x100", 1000, 1, 100, 1),
      ("fit:10x10", 1, 1000, 1, 10), ("fit:3x3", 2, 3, 2, 3),
      ("limit:100x100", 640, 480, 100, 75), ("limit:1000x1000", 64, 48, 64, 48),
      ("limit:100x10", 64, 48, 13, 10),
      ("limit:64x48", 64, 48, 64, 48), ("limit:65x47", 64, 48, 63, 47), ("limit:200%", 64, 48, 64, 48),
      ("limit:1000x", 64, 48, 64, 48), ("limit:x24", 64, 48, 32, 24),
      ("pad:100x100", 640, 480, 100, 100), ("pad:7x300", 640, 480, 7, 300), ("pad:50%", 64, 48, 32, 24),
      ("pad:100x", 64, 48, 100, 75), ("pad:1x1", 64, 48, 1, 1), ("pad:200x100:snap=false", 63, 47, 200, 100),
      ("fill:100x100", 640, 480, 100, 100), ("fill:7x300", 640, 480, 7, 300), ("fill:x100", 64, 48, 133, 100),
      ("fill:1x1", 64, 48, 1, 1), ("fill:200x100:snap=false", 63, 47, 200, 100),
      ("fill:9x9:attention", 20, 30, 9, 9),
      ("fill:9x9:entropy", 30, 20, 9, 9),
      ("crop:10x20", 64, 48, 10, 20), ("crop:64x48", 64, 48, 64, 48),
      ("crop:100x20:clip=true", 64, 48, 64, 20),
      ("crop:100x100:clip=true", 64, 48, 64, 48), ("crop:10x10+60+40:clip=true", 64, 48, 4, 8),
      ("crop:10x10-4-4:clip=true", 64, 48, 6, 6),
      ("extend:1", 10, 20, 12, 22), ("extend:1:2", 10, 20, 14, 22), ("extend:1:2:3", 10, 20, 14, 24),
      ("extend:1:2:3:4", 10, 20, 16, 24), ("extend:0", 10, 20, 10, 20), ("extend:0:left=5", 10, 20, 15, 20),
      ("extend:3:bottom=0", 10, 20, 16, 23), ("extend:0:0:7:0:mode=mirror", 10, 20, 10, 27),
      ("circle", 64, 48, 48, 48), ("circle", 1, 9, 1, 1), ("rounded:10", 64, 48, 64, 48),
      ("fill-circle:30x20", 64, 48, 20, 20), ("scale-circle:30x20", 64, 48, 20, 20),
      ("rotate:90", 64, 48, 48, 64), ("rotate:180", 64, 48, 64, 48), ("rotate:-90", 64, 48, 48, 64),
      ("rotate:45", 10, 10, 15, 15), ("rotate:30", 100, 50, 112, 94), ("rotate:0.5", 100, 50, 101, 51),
      ("blur:2:edge=extend", 10, 20, 22, 32), ("blur:2.1:edge=extend", 10, 20, 24, 34),
      ("blur:2", 10, 20, 10, 20),
      ("blur:0:edge=extend", 10, 20, 10, 20), ("ci:CIBoxBlur:inputRadius=2.4", 10, 20, 14, 24),
      ("ci:CIGaussianBlur:inputRadius=3", 10, 20, 28, 38),
    ])
  func table(chain: String, width: Int, height: Int, wide: Int, tall: Int) throws {
    #expect(try size(chain, width, height) == [wide, tall])
  }

  @Test("of a resize and its opposite are those that there were, whatever they are")
  func thereAndBack() throws {
    for (width, height) in [(1, 1), (7, 3), (64, 48), (31, 200)] {
      #expect(try size("scale:300%,scale:\(width)x\(height)", width, height) == [width, height])
      #expect(try size("rotate:90,rotate:-90", width, height) == [width, height])
      #expect(try size("extend:3,crop:\(width)x\(height)", width, height) == [width, height])
    }
  }

  @Test(
    "of more than 65,535 on a side are an error",
    arguments: [
      "scale:65535x", "scale:10000%", "fit:10000%", "fill:65535x", "extend:65535", "extend:0:65535:0:1",
      "pad:65535x",
    ])
  func tooLarge(chain: String) throws {
    // As wide as a hundredth of it is tall.
    let image = try TestImage.plain([1, 2, 3], 7, 700)
    #expect(throws: FilterError.self) { try FilterChain(parsing: chain).apply(to: image) }
  }

  @Test("of more pixels than a context allows are an error, and just as many are none")
  func maximum() throws {
    let image = try TestImage.plain([1, 2, 3], 10, 10)
    let chain = try FilterChain(parsing: "scale:20x30")
    let result = try chain.apply(to: image, context: FilterContext(maximumPixels: 600))
    #expect(result.width == 20)
    let error = #expect(throws: FilterError.self) {
      try chain.apply(to: image, context: FilterContext(maximumPixels: 599))
    }
    #expect(error?.code == .failed && error?.message.contains("599") == true)
  }

  @Test("are resolved the same way for every kind of size")
  func resolved() throws {
    let extent = Size(width: 30, height: 40)
    for (text, width, height) in [
      ("12x34", 12.0, 34.0), ("15x", 15, 20), ("x10", 7.5, 10), ("50%", 15, 20), ("250%", 75, 100),
      ("1%", 0.3, 0.4),
    ] {
      let size = try #require(SizeSpecification(text))
      let resolved = size.resolved(for: extent)
      #expect(abs(resolved.width - width) < 1e-9 && abs(resolved.height - height) < 1e-9, "\(text)")
    }
    #expect(Size(rounding: 0.2, 0) == Size(width: 1, height: 1))
    #expect(Size(rounding: 2.5, 3.49) == Size(width: 3, height: 3))
  }

  @Test("before anything is cut off tell by how much a decoder may shrink")
  func firstScale() throws {
    let extent = Size(width: 400, height: 200)
    for (text, scale) in [
      ("scale:100x100", 0.5), ("fit:100x100", 0.25), ("fill:100x100", 0.5), ("limit:100x", 0.25),
      ("limit:900x", 1),
      ("pad:100x100", 0.25), ("fill:50x100,blur", 0.5), ("scale:800x", 2),
    ] as [(String, Double)] {
      let chain = try FilterChain(parsing: text)
      #expect(try chain.firstScale(of: extent) == scale, "\(text)")
      #expect(chain.resizesFirst)
    }
    for text in ["", "flip", "crop:10x10", "blur,scale:10x10", "extend:3", "circle", "rotate:90"] {
      let chain = try FilterChain(parsing: text)
      #expect(try chain.firstScale(of: extent) == nil && !chain.resizesFirst, "\(text)")
    }
    for text in ["scale:9x9:kernel=nearest", "fit:9x9:linear=true"] {
      #expect(try FilterChain(parsing: text).firstScale(of: extent) == nil, "\(text)")
    }
  }
}
