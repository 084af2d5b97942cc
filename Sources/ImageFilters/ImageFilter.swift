public import Vips

/// Something that makes one picture of another.
///
/// A type of your own needs only `apply(to:)`; without an `identifier` it is known by its type's name.
/// Follows AlamofireImage's `ImageFilter`.
public protocol ImageFilter: Sendable {
  /// What results are cached by: two filters with one identifier must make the same picture.
  var identifier: String { get }
  /// The picture with the filter applied.
  /// - Throws: `FilterError` where it can't be; there is no silent return of the original.
  func apply(to image: VipsImage) throws(FilterError) -> VipsImage
}

extension ImageFilter {
  /// The type's name. A type with settings of its own says them in an identifier of its own, or two of its filters
  /// are taken for one.
  public var identifier: String { "\(Self.self)" }

  /// The filter as a function, as AlamofireImage's `filter` is.
  public var filter: @Sendable (VipsImage) throws(FilterError) -> VipsImage {
    { image throws(FilterError) in try apply(to: image) }
  }
}

/// A filter that stands for a chain.
public protocol ChainedImageFilter: ImageFilter {
  /// What it does, in the grammar of imagemill-filters(7).
  var chain: FilterChain { get }
}

extension ChainedImageFilter {
  /// The chain's canonical text.
  public var identifier: String { chain.identifier }
  /// The picture with the chain applied.
  public func apply(to image: VipsImage) throws(FilterError) -> VipsImage { try chain.apply(to: image) }
}

extension FilterChain: ImageFilter {
  /// The picture with every filter applied.
  public func apply(to image: VipsImage) throws(FilterError) -> VipsImage {
    try apply(to: image, context: FilterContext())
  }
}

/// A filter that makes pictures of one size. Follows AlamofireImage's `Sizable`.
public protocol Sizable {
  /// In pixels.
  var size: Extent { get }
}

/// A filter that rounds corners. Follows AlamofireImage's `Roundable`.
public protocol Roundable {
  /// In pixels.
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
  /// The chain's canonical text.
  public var identifier: String { chain.identifier }
}

extension ChainedImageFilter where Self: Roundable {
  /// The chain's canonical text.
  public var identifier: String { chain.identifier }
}

extension ChainedImageFilter where Self: Sizable & Roundable {
  /// The chain's canonical text.
  public var identifier: String { chain.identifier }
}

/// Filters one after the other as one. Follows AlamofireImage's `CompositeImageFilter`.
public protocol CompositeImageFilter: ImageFilter {
  /// From the first to the last.
  var filters: [any ImageFilter] { get }
}

extension CompositeImageFilter {
  /// The filters' identifiers, joined as a chain's are.
  public var identifier: String { filters.map(\.identifier).joined(separator: ",") }

  /// The picture with every filter applied in order.
  public func apply(to image: VipsImage) throws(FilterError) -> VipsImage {
    var picture = image
    for filter in filters { picture = try filter.apply(to: picture) }
    return picture
  }
}

/// A filter of a closure. Follows AlamofireImage's `DynamicImageFilter`.
public struct DynamicImageFilter: ImageFilter {
  /// As given.
  public let identifier: String
  private let body: @Sendable (VipsImage) throws(FilterError) -> VipsImage

  /// A filter that `identifier` names.
  public init(
    _ identifier: String, filter: @escaping @Sendable (VipsImage) throws(FilterError) -> VipsImage
  ) {
    self.identifier = identifier
    body = filter
  }

  /// What the closure returns.
  public func apply(to image: VipsImage) throws(FilterError) -> VipsImage { try body(image) }
}

/// Any filters as one. Follows AlamofireImage's `DynamicCompositeImageFilter`; of none it changes nothing.
public struct DynamicCompositeImageFilter: CompositeImageFilter {
  /// From the first to the last.
  public let filters: [any ImageFilter]

  /// The filters in order.
  public init(_ filters: [any ImageFilter]) { self.filters = filters }

  /// The filters in order.
  public init(_ filters: any ImageFilter...) { self.filters = filters }
}
