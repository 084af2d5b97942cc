public import Vips

/// One run of a filter on one frame.
struct FilterPass {
  /// The frame: sRGB of 8 or 16 bits, or another color space if the filter works in any.
  let image: VipsImage
  let arguments: FilterArguments
  /// The frame's original size. It differs from the image's only for a first resize whose frame the decoder has shrunk.
  let extent: Size
  /// The part of the image that has content.
  let span: SampledSize
  /// Whether the frame is the decoder's, shrunk or of a format whose decoder averages blocks of pixels when it shrinks.
  let isAveragedByDecoder: Bool
  let context: FilterContext

  init(image: VipsImage, arguments: FilterArguments, shrunk: ShrinkOnLoad? = nil, context: FilterContext) {
    self.image = image
    self.arguments = arguments
    extent = shrunk?.extent ?? Size(width: image.width, height: image.height)
    span =
      shrunk.map { $0.isExact ? SampledSize(image) : SampledSize($0.extent, times: $0.scale) }
      ?? SampledSize(image)
    isAveragedByDecoder = shrunk.map { $0.scale < 1 || !$0.isExact } ?? false
    self.context = context
  }

  /// A color as samples of this image.
  /// - Parameter bands: The number of bands (default: the image's); 2 and 4 include alpha.
  func values(of color: Color, bands: Int? = nil) -> [Double] {
    let factor = image.maximum / 255
    let colors: [Double]
    if (bands ?? image.bands) < 3 {
      // Rec. 709 luma, for an image that stays gray.
      let luma = 0.2126 * Double(color.red) + 0.7152 * Double(color.green) + 0.0722 * Double(color.blue)
      colors = [luma, Double(color.alpha)]
    } else {
      colors = [Double(color.red), Double(color.green), Double(color.blue), Double(color.alpha)]
    }
    return Array(colors.map { ($0 * factor).rounded() }.prefix(bands ?? image.bands))
  }
}

/// The environment in which a chain runs: other images, limits and storage.
public struct FilterContext: Sendable {
  /// Opens the image that a source argument (of `overlay`, `mask` or `transition`) refers to, prepared for filters.
  public var source: @Sendable (_ reference: String) throws(FilterError) -> VipsImage
  /// The most pixels that a filter's result may have, in all frames together.
  public var maximumPixels: Int
  /// Stores pixels that are read more than once.
  public var storage: PixelStorage
  /// Receives each filter's result and returns the image to continue with. Tests use it to count computed pixels.
  var probe: (@Sendable (_ step: Int, VipsImage) throws -> VipsImage)?

  /// Creates a context.
  /// - Parameters:
  ///   - maximumPixels: The most pixels in a filter's result. Default: 268,402,689 (16383 x 16383).
  ///   - storage: Stores pixels that are read more than once. Default: 1 GiB of memory, then files in `/tmp`.
  ///   - source: Opens referenced images. Default: ``noSources``, with which overlays, masks and transitions
  ///     fail.
  public init(
    maximumPixels: Int = 268_402_689, storage: PixelStorage = PixelStorage(),
    source: @escaping @Sendable (_ reference: String) throws(FilterError) -> VipsImage = FilterContext
      .noSources
  ) {
    self.maximumPixels = maximumPixels
    self.storage = storage
    self.source = source
  }

  /// A source function for chains that use no other images: throws `filter-failed` for every reference.
  public static let noSources: @Sendable (String) throws(FilterError) -> VipsImage = {
    (reference: String) throws(FilterError) -> VipsImage in
    throw FilterError(
      .failed, "there is no image for '\(reference)'; define a source with that name")
  }
}

/// The geometry of a frame that its decoder has shrunk.
public struct ShrinkOnLoad: Sendable, Hashable {
  /// The frame's size in pixels before the decoder shrank it.
  public var extent: Size
  /// The factor by which the decoder scaled the frame, at most 1.
  public var scale: Double
  /// Whether the decoder scaled the content to exactly whole pixels instead of padding the last column and row.
  public var isExact: Bool

  /// Creates a description of a shrunk frame.
  /// - Parameters:
  ///   - extent: The frame's original size in pixels.
  ///   - scale: The factor by which the decoder scaled the frame, more than 0, at most 1.
  ///   - isExact: Whether the decoder scaled the content to exactly whole pixels instead of padding the last
  ///     column and row.
  public init(extent: Size, scale: Double, isExact: Bool) {
    self.extent = extent
    self.scale = scale
    self.isExact = isExact
  }
}
