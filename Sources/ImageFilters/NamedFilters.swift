// AlamofireImage's filters under their names. As there, creating one never fails; applying one throws if a side isn't 1 to
// 65535 pixels, or another argument is out of range.

/// `scale:S`: scales to exactly the size, ignoring the aspect ratio. AlamofireImage's type of the same name.
public struct ScaledToSizeFilter: ChainedImageFilter, Sizable {
  /// The target size in pixels.
  public let size: Size
  /// `scale` with its defaults.
  public let chain: FilterChain

  /// Creates a filter for a target size in pixels.
  public init(size: Size) {
    self.size = size
    chain = FilterChain(typed: "ScaledToSizeFilter", [("size", .size(SizeSpecification(size)))])
  }
}

/// `pad:S:snap=false`: fits the image into the size on a transparent canvas.
public struct AspectScaledToFitSizeFilter: ChainedImageFilter, Sizable {
  /// The canvas size in pixels.
  public let size: Size
  /// `pad` with `snap=false`.
  public let chain: FilterChain

  /// Creates a filter for a canvas size in pixels.
  public init(size: Size) {
    self.size = size
    chain = FilterChain(typed: "AspectScaledToFitSizeFilter", [("size", .size(SizeSpecification(size)))])
  }
}

/// `fill:S:snap=false`: scales the image to cover the size and crops it around the center.
public struct AspectScaledToFillSizeFilter: ChainedImageFilter, Sizable {
  /// The target size in pixels.
  public let size: Size
  /// `fill` with `snap=false`.
  public let chain: FilterChain

  /// Creates a filter for a target size in pixels.
  public init(size: Size) {
    self.size = size
    chain = FilterChain(typed: "AspectScaledToFillSizeFilter", [("size", .size(SizeSpecification(size)))])
  }
}

/// `rounded:R:style=continuous`: rounds the corners with Apple's continuous curve.
public struct RoundedCornersFilter: ChainedImageFilter, Roundable {
  /// The corners' radius in pixels.
  public let radius: Double
  /// `rounded` with `style=continuous`.
  public let chain: FilterChain

  /// Creates a filter for a corner radius.
  /// - Parameter radius: Pixels, 0 to 65535. Unlike a `UIImage`, a libvips image has no scale that divides it.
  public init(radius: Double) {
    self.radius = radius
    chain = FilterChain(typed: "RoundedCornersFilter", [("radius", .length(.pixels(radius)))])
  }
}

/// `circle`: crops the image to its center square, then to a circle.
public struct CircleFilter: ChainedImageFilter {
  /// `circle`.
  public let chain: FilterChain

  /// Creates the filter, which takes no arguments.
  public init() { chain = FilterChain(typed: "CircleFilter") }
}

/// `ci:NAME`: a Core Image filter by name.
public struct CoreImageFilter: ChainedImageFilter {
  /// Core Image's name for the filter, such as `CISepiaTone`.
  public let filterName: String
  /// Values in the chain grammar's notation, by Core Image's keys.
  public let parameters: [String: String]
  /// `ci:` with the parameters.
  public let chain: FilterChain

  /// Creates a Core Image filter.
  /// - Parameters:
  ///   - filterName: Core Image's name for the filter.
  ///   - parameters: Values in the chain grammar's notation, by Core Image's keys.
  /// - Throws: `FilterError` if the filter isn't supported, or doesn't have one of the parameters.
  public init(filterName: String, parameters: [String: String] = [:]) throws(FilterError) {
    self.filterName = filterName
    self.parameters = parameters
    chain = try FilterChain(
      name: "ci",
      arguments: [(nil, filterName)] + parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }
}

/// `blur:R:edge=extend:linear=true`: blurs as CIGaussianBlur does, growing the image by 3 radii on each side.
public struct BlurFilter: ChainedImageFilter {
  /// `blur` with `edge=extend` and `linear=true`.
  public let chain: FilterChain

  /// Creates a blur.
  /// - Parameter blurRadius: The Gaussian's standard deviation in pixels, 0 to 1000.
  public init(blurRadius: Int = 10) {
    chain = FilterChain(typed: "BlurFilter", [("radius", .integer(blurRadius))])
  }
}

/// `scale:S,rounded:R`.
public struct ScaledToSizeWithRoundedCornersFilter: ChainedImageFilter, Sizable, Roundable {
  /// The target size in pixels.
  public let size: Size
  /// The corners' radius in pixels.
  public let radius: Double
  /// `scale`, then `rounded`.
  public let chain: FilterChain

  /// Creates a filter for a target size and a corner radius in pixels.
  public init(size: Size, radius: Double) {
    (self.size, self.radius) = (size, radius)
    chain = FilterChain(
      typed: "scale-rounded",
      [("size", .size(SizeSpecification(size))), ("radius", .length(.pixels(radius)))])
  }
}

/// `fill:S,rounded:R`.
public struct AspectScaledToFillSizeWithRoundedCornersFilter: ChainedImageFilter, Sizable, Roundable {
  /// The target size in pixels.
  public let size: Size
  /// The corners' radius in pixels.
  public let radius: Double
  /// `fill`, then `rounded`.
  public let chain: FilterChain

  /// Creates a filter for a target size and a corner radius in pixels.
  public init(size: Size, radius: Double) {
    (self.size, self.radius) = (size, radius)
    chain = FilterChain(
      typed: "fill-rounded", [("size", .size(SizeSpecification(size))), ("radius", .length(.pixels(radius)))])
  }
}

/// `scale:S,circle`.
public struct ScaledToSizeCircleFilter: ChainedImageFilter, Sizable {
  /// The target size in pixels.
  public let size: Size
  /// `scale`, then `circle`.
  public let chain: FilterChain

  /// Creates a filter for a target size in pixels.
  public init(size: Size) {
    self.size = size
    chain = FilterChain(typed: "scale-circle", [("size", .size(SizeSpecification(size)))])
  }
}

/// `fill:S,circle`.
public struct AspectScaledToFillSizeCircleFilter: ChainedImageFilter, Sizable {
  /// The target size in pixels.
  public let size: Size
  /// `fill`, then `circle`.
  public let chain: FilterChain

  /// Creates a filter for a target size in pixels.
  public init(size: Size) {
    self.size = size
    chain = FilterChain(typed: "fill-circle", [("size", .size(SizeSpecification(size)))])
  }
}

extension Size {
  var text: String { "\(width)x\(height)" }
}
