public import Vips

/// A filter that turns one image into another.
///
/// A conforming type needs only `apply(to:)`; its `identifier` defaults to the type's name.
/// Follows AlamofireImage's `ImageFilter`.
public protocol ImageFilter: Sendable {
  /// The key for cached results. Filters with the same identifier must produce the same image.
  var identifier: String { get }
  /// Applies the filter to an image.
  /// - Parameter image: In a chain, upright sRGB with 3 bands, or 4 with alpha, of 8 or 16 bits; one frame of
  ///   an animation.
  /// - Returns: The filtered image. libvips may compute its pixels later, when they are read.
  /// - Throws: `FilterError` if it fails. A filter never returns the original image instead.
  func apply(to image: VipsImage) throws(FilterError) -> VipsImage
}

extension ImageFilter {
  /// The type's name. A type with settings must include them in its own identifier, or filters with different
  /// settings share cached results.
  public var identifier: String { "\(Self.self)" }

  /// The filter as a function, like AlamofireImage's `filter`.
  public var filter: @Sendable (VipsImage) throws(FilterError) -> VipsImage {
    { image throws(FilterError) in try apply(to: image) }
  }
}

/// A filter that is implemented by a chain.
public protocol ChainedImageFilter: ImageFilter {
  /// The chain that the filter applies.
  var chain: FilterChain { get }
}

extension ChainedImageFilter {
  /// The chain's canonical text, which `init(parsing:)` reads back.
  public var identifier: String { chain.identifier }
  /// Applies the chain to an image.
  /// - Parameter image: Any image, converted to upright sRGB first. If it has several pages, each is filtered
  ///   separately.
  /// - Returns: An sRGB image of 8 or 16 bits per channel, with 3 bands, or 4 with alpha.
  /// - Throws: `FilterError`: the error of ``FilterChain/check()`` for an invalid argument; otherwise
  ///   `filter-failed`, naming the filter.
  public func apply(to image: VipsImage) throws(FilterError) -> VipsImage { try chain.apply(to: image) }
}

extension FilterChain: ImageFilter {
  /// Applies every filter, without access to other images: an overlay, a mask or a transition fails.
  /// - Parameter image: Any image, converted to upright sRGB first. If it has several pages, each is filtered
  ///   separately.
  /// - Returns: An sRGB image of 8 or 16 bits per channel, with 3 bands, or 4 with alpha.
  /// - Throws: `FilterError`: the error of ``FilterChain/check()`` for an invalid argument; otherwise
  ///   `filter-failed`, naming the filter.
  public func apply(to image: VipsImage) throws(FilterError) -> VipsImage {
    try apply(to: image, context: FilterContext())
  }
}

/// A filter with a target size. Follows AlamofireImage's `Sizable`.
public protocol Sizable {
  /// The target size in pixels, each side 1 to 65535.
  var size: Size { get }
}

/// A filter that rounds corners. Follows AlamofireImage's `Roundable`.
public protocol Roundable {
  /// The corners' radius in pixels, 0 to 65535.
  var radius: Double { get }
}

extension ImageFilter where Self: Sizable {
  /// The type's name and the size.
  public var identifier: String { "\(Self.self):size=\(size.text)" }
}

extension ImageFilter where Self: Roundable {
  /// The type's name and the radius.
  public var identifier: String { "\(Self.self):radius=\(Number.text(radius))" }
}

extension ImageFilter where Self: Sizable & Roundable {
  /// The type's name, the size and the radius.
  public var identifier: String { "\(Self.self):size=\(size.text):radius=\(Number.text(radius))" }
}

extension ChainedImageFilter where Self: Sizable {
  /// The chain's canonical text, which `init(parsing:)` reads back.
  public var identifier: String { chain.identifier }
}

extension ChainedImageFilter where Self: Roundable {
  /// The chain's canonical text, which `init(parsing:)` reads back.
  public var identifier: String { chain.identifier }
}

extension ChainedImageFilter where Self: Sizable & Roundable {
  /// The chain's canonical text, which `init(parsing:)` reads back.
  public var identifier: String { chain.identifier }
}

/// A filter that applies several filters in order. Follows AlamofireImage's `CompositeImageFilter`.
public protocol CompositeImageFilter: ImageFilter {
  /// The filters, in the order of application.
  var filters: [any ImageFilter] { get }
}

extension CompositeImageFilter {
  /// The filters' identifiers, joined by commas as in a chain.
  public var identifier: String { filters.map(\.identifier).joined(separator: ",") }

  /// Applies every filter in order. Without filters, returns `image`.
  /// - Parameter image: The image, passed to the first filter as it is.
  /// - Returns: The last filter's result.
  /// - Throws: `FilterError` of the first filter that fails.
  public func apply(to image: VipsImage) throws(FilterError) -> VipsImage {
    var filtered = image
    for filter in filters { filtered = try filter.apply(to: filtered) }
    return filtered
  }
}

/// A filter that calls a closure. Follows AlamofireImage's `DynamicImageFilter`.
public struct DynamicImageFilter: ImageFilter {
  /// The identifier given to the initializer.
  public let identifier: String
  private let body: @Sendable (VipsImage) throws(FilterError) -> VipsImage

  /// Creates a filter from a closure.
  /// - Parameters:
  ///   - identifier: The key for cached results, unique to what the closure does.
  ///   - filter: Returns the filtered image.
  public init(
    _ identifier: String, filter: @escaping @Sendable (VipsImage) throws(FilterError) -> VipsImage
  ) {
    self.identifier = identifier
    body = filter
  }

  /// Calls the closure.
  /// - Parameter image: The image, passed to the closure as it is.
  /// - Returns: The closure's result.
  /// - Throws: The `FilterError` that the closure throws.
  public func apply(to image: VipsImage) throws(FilterError) -> VipsImage { try body(image) }
}

/// A filter that applies any filters in order; without filters it leaves the image unchanged.
/// Follows AlamofireImage's `DynamicCompositeImageFilter`.
public struct DynamicCompositeImageFilter: CompositeImageFilter {
  /// The filters, in the order of application.
  public let filters: [any ImageFilter]

  /// Combines filters, which are applied in order.
  /// - Parameter filters: The filters; none is allowed.
  public init(_ filters: [any ImageFilter]) { self.filters = filters }

  /// Combines filters, which are applied in order.
  /// - Parameter filters: The filters; none is allowed.
  public init(_ filters: any ImageFilter...) { self.filters = filters }
}
