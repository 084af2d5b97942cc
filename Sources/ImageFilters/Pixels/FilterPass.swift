public import Vips

/// One run of one filter on one frame.
struct FilterPass {
  /// The frame: sRGB of 8 or 16 bits, or another space where the filter doesn't mind.
  let image: VipsImage
  let arguments: FilterArguments
  /// The frame's size as the chain's author counts it. Another than the image's only for a first resize
  /// whose frame was scaled while it was decoded.
  let extent: Extent
  /// How much of the image is picture.
  let span: Span
  /// Whether the decoder has made the frame smaller.
  let isShrunk: Bool
  let context: FilterContext

  init(image: VipsImage, arguments: FilterArguments, shrunk: ShrunkFrame? = nil, context: FilterContext) {
    self.image = image
    self.arguments = arguments
    extent = shrunk?.extent ?? Extent(width: image.width, height: image.height)
    span = shrunk.map { $0.isExact ? Span(image) : Span($0.extent, times: $0.scale) } ?? Span(image)
    isShrunk = shrunk.map { $0.scale < 1 } ?? false
    self.context = context
  }

  /// A colour as this image's numbers: its bands, alpha among them where it has one.
  func values(of colour: Colour, bands: Int? = nil) -> [Double] {
    let factor = image.maximum / 255
    let colours: [Double]
    if (bands ?? image.bands) < 3 {
      // Rec. 709 luma, for a picture that stays gray.
      let luma = 0.2126 * Double(colour.red) + 0.7152 * Double(colour.green) + 0.0722 * Double(colour.blue)
      colours = [luma, Double(colour.alpha)]
    } else {
      colours = [Double(colour.red), Double(colour.green), Double(colour.blue), Double(colour.alpha)]
    }
    return Array(colours.map { ($0 * factor).rounded() }.prefix(bands ?? image.bands))
  }
}

/// What a chain needs besides the picture.
public struct FilterContext: Sendable {
  /// Opens the picture that a SOURCE argument (`overlay`, `mask`) names, prepared for filters.
  public var source: @Sendable (_ reference: String) throws(FilterError) -> VipsImage
  /// The most pixels that a filter may make, all frames together.
  public var maximumPixels: Int
  /// Where pixels are kept that are read more than once.
  public var storage: PixelStorage
  /// Sees what each filter makes before anything reads it, and may put itself between: tests count pixels there.
  var probe: (@Sendable (_ step: Int, VipsImage) throws -> VipsImage)?

  /// A context. Without `source`, chains with overlays and masks fail.
  public init(
    maximumPixels: Int = 268_402_689, storage: PixelStorage = PixelStorage(),
    source: @escaping @Sendable (_ reference: String) throws(FilterError) -> VipsImage = FilterContext
      .noSources
  ) {
    self.maximumPixels = maximumPixels
    self.storage = storage
    self.source = source
  }

  /// For chains that name no other pictures.
  public static let noSources: @Sendable (String) throws(FilterError) -> VipsImage = {
    (reference: String) throws(FilterError) -> VipsImage in
    throw FilterError(
      .failed, "there is no picture for '\(reference)'; give the chain a source for that name")
  }
}

/// What a frame was before its decoder scaled it.
public struct ShrunkFrame: Sendable, Hashable {
  /// Its whole size.
  public var extent: Extent
  /// By what it was multiplied.
  public var scale: Double
  /// Whether the decoder scaled all of it into whole pixels, instead of filling up the last ones.
  public var isExact: Bool

  /// A frame of an extent, multiplied by a factor.
  public init(extent: Extent, scale: Double, isExact: Bool) {
    self.extent = extent
    self.scale = scale
    self.isExact = isExact
  }
}
