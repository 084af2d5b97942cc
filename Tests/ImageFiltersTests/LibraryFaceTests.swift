import ImageFilters
import Testing
import Vips

/// The library as a program uses it: AlamofireImage's names, and what they promise. Nothing here is `@testable`, and
/// the documentation's examples are here so that they compile.
@Suite("The library's face", .timeLimit(.minutes(8)))
struct LibraryFaceTests {
  private func photograph(_ width: Int = 180, _ height: Int = 260, alpha: Bool = false) throws -> VipsImage {
    try VipsImage.plain(alpha ? [90, 120, 200, 255] : [90, 120, 200], width: width, height: height)
  }

  private func size(_ image: VipsImage) -> [Int] { [image.width, image.height] }

  /// A filter of somebody else's, without an identifier of its own.
  private struct Negative: ImageFilter {
    func apply(to image: VipsImage) throws(FilterError) -> VipsImage {
      try FilterChain(parsing: "invert").apply(to: image)
    }
  }

  private struct Tile: ImageFilter, Sizable {
    let size: Size
    func apply(to image: VipsImage) throws(FilterError) -> VipsImage { try image.imageScaled(to: size) }
  }

  private struct Dot: ImageFilter, Roundable {
    let radius: Double
    func apply(to image: VipsImage) throws(FilterError) -> VipsImage {
      try image.imageRounded(withCornerRadius: radius)
    }
  }

  private struct Card: ImageFilter, Sizable, Roundable {
    let size: Size
    let radius: Double
    func apply(to image: VipsImage) throws(FilterError) -> VipsImage {
      try ScaledToSizeWithRoundedCornersFilter(size: size, radius: radius).apply(to: image)
    }
  }

  private struct Avatar: CompositeImageFilter {
    let filters: [any ImageFilter]
  }

  @Test("ten filters by AlamofireImage's names are the chains that imagemill-filters(7) names")
  func named() throws {
    let square = Size(width: 100, height: 100)
    let expected: [(any ImageFilter, String)] = [
      (ScaledToSizeFilter(size: square), "scale:100x100"),
      (AspectScaledToFitSizeFilter(size: square), "pad:100x100:snap=false"),
      (AspectScaledToFillSizeFilter(size: square), "fill:100x100:snap=false"),
      (RoundedCornersFilter(radius: 12), "rounded:12:style=continuous"), (CircleFilter(), "circle"),
      (BlurFilter(), "blur:10:edge=extend:linear=true"),
      (ScaledToSizeWithRoundedCornersFilter(size: square, radius: 12.5), "scale:100x100,rounded:12.5"),
      (AspectScaledToFillSizeWithRoundedCornersFilter(size: square, radius: 12), "fill:100x100,rounded:12"),
      (ScaledToSizeCircleFilter(size: square), "scale:100x100,circle"),
      (AspectScaledToFillSizeCircleFilter(size: square), "fill:100x100,circle"),
    ]
    for (filter, text) in expected {
      let chain = try FilterChain(parsing: text)
      #expect(filter.identifier == chain.identifier)
      #expect(
        try filter.apply(to: photograph()).pixels() == chain.apply(to: photograph()).pixels(), "\(text)")
      #expect(try filter.filter(photograph()).pixels() == chain.apply(to: photograph()).pixels())
    }
    let sepia = CoreImageFilter(filterName: "CISepiaTone", parameters: ["inputIntensity": "0.5"])
    #expect(try sepia.identifier == FilterChain(parsing: "ci:CISepiaTone:inputIntensity=0.5").identifier)
    for wrong in [
      CoreImageFilter(filterName: "CINoSuchFilter"),
      CoreImageFilter(filterName: "CISepiaTone", parameters: ["inputIntensity": "much"]),
    ] {
      #expect(throws: FilterError.self) { try wrong.chain.check() }
      #expect(throws: FilterError.self) { try wrong.apply(to: photograph()) }
      #expect(throws: FilterError.self) { try FilterChain(wrong, .circle).check() }
    }
  }

  @Test("sizes that can't be are errors, never the image as it was")
  func impossible() {
    for (width, height) in [(0, 10), (10, 0), (-3, 5), (70_000, 5)] {
      let filter = ScaledToSizeFilter(size: Size(width: width, height: height))
      #expect(throws: FilterError.self) { try filter.chain.check() }
      #expect(throws: FilterError.self) { try filter.apply(to: photograph()) }
      #expect(throws: FilterError.self) {
        try photograph().imageAspectScaled(toFit: Size(width: width, height: height))
      }
    }
    #expect(throws: FilterError.self) { try RoundedCornersFilter(radius: -1).apply(to: photograph()) }
  }

  @Test("an identifier tells filters apart that their settings tell apart")
  func identifiers() throws {
    let size = Size(width: 50, height: 61)
    #expect(Negative().identifier == "Negative")
    #expect(Tile(size: size).identifier == "Tile:size=50x61")
    #expect(
      Dot(radius: 12).identifier == "Dot:radius=12" && Dot(radius: 12.4).identifier == "Dot:radius=12.4")
    #expect(Card(size: size, radius: 3).identifier == "Card:size=50x61:radius=3")
    #expect(DynamicImageFilter("mine") { image throws(FilterError) in image }.identifier == "mine")
  }

  @Test("several filters are one: in order, and known by all of their identifiers")
  func composites() throws {
    let filters: [any ImageFilter] = [
      ScaledToSizeFilter(size: Size(width: 40, height: 30)), CircleFilter(),
    ]
    let chain = try FilterChain(parsing: "scale:40x30,circle")
    for filter in [Avatar(filters: filters), DynamicCompositeImageFilter(filters)] as [any ImageFilter] {
      #expect(filter.identifier == chain.identifier)
      #expect(try filter.apply(to: photograph()).pixels() == chain.apply(to: photograph()).pixels())
    }
    let one = DynamicCompositeImageFilter(Negative())
    #expect(one.identifier == "Negative")
    #expect(try one.apply(to: photograph()).pixels().prefix(3) == [165, 135, 55])
    let none = DynamicCompositeImageFilter()
    #expect(none.identifier.isEmpty)
    #expect(try none.apply(to: photograph()).pixels() == photograph().pixels())
    // The order counts.
    let turned = DynamicCompositeImageFilter(filters.reversed())
    #expect(try size(turned.apply(to: photograph())) == [40, 30] && turned.identifier != chain.identifier)
  }

  @Test("the image's own functions")
  func functions() throws {
    let (photograph, clear) = (try photograph(), try photograph(alpha: true))
    #expect(photograph.isOpaque && !photograph.containsAlphaComponent)
    // By its channels, used or not.
    #expect(!clear.isOpaque && clear.containsAlphaComponent)
    #expect(try photograph.inflated().pixels() == photograph.pixels())
    for side in [Size(width: 50, height: 50), Size(width: 60, height: 30), Size(width: 30, height: 60)] {
      let scaled = try photograph.imageScaled(to: side)
      #expect(size(scaled) == [side.width, side.height] && scaled.isOpaque)
      let fitted = try photograph.imageAspectScaled(toFit: side)
      #expect(size(fitted) == [side.width, side.height] && !fitted.isOpaque)
      let filled = try photograph.imageAspectScaled(toFill: side)
      #expect(size(filled) == [side.width, side.height] && filled.isOpaque)
    }
    let rounded = try photograph.imageRounded(withCornerRadius: 20)
    #expect(size(rounded) == [180, 260] && !rounded.isOpaque)
    #expect(try size(photograph.imageRoundedIntoCircle()) == [180, 180])
    let blurred = try photograph.imageFiltered(
      withCoreImageFilter: "CIGaussianBlur", parameters: ["inputRadius": "8"])
    #expect(size(blurred) == [180 + 48, 260 + 48])
    #expect(throws: FilterError.self) { try photograph.imageFiltered(withCoreImageFilter: "NoSuchFilter") }
  }

  @Test("the documentation's examples")
  func examples() throws {
    let photograph = try photograph()
    let chain = try FilterChain(parsing: "fill:100x100,circle")
    let avatar = try chain.apply(to: photograph)
    #expect(size(avatar) == [100, 100])
    let ready = try photograph.inflated()
    #expect(size(ready) == size(photograph))
  }
}
