// AlamofireImage's filters under their names. As there, creating one never fails; applying one throws if a side isn't 1 to
// 65535 pixels, or another argument is out of range.

/// `scale:S`: scales to exactly the size, ignoring the aspect ratio.
///
/// Adds no alpha band. AlamofireImage's type of the same name.
public struct ScaledToSizeFilter: ChainedImageFilter, Sizable {
  /// The target size in pixels, each side 1 to 65535.
  public let size: Size
  /// The chain `scale:S` that the filter applies.
  public let chain: FilterChain

  /// Creates a filter.
  /// - Parameter size: The target size in pixels, each side 1 to 65535.
  public init(size: Size) {
    self.size = size
    chain = FilterChain(typed: "ScaledToSizeFilter", [("size", .size(SizeSpecification(size)))])
  }
}

/// `pad:S:snap=false`: fits the image into the size on a transparent canvas.
///
/// The result has an alpha band. AlamofireImage's type of the same name.
public struct AspectScaledToFitSizeFilter: ChainedImageFilter, Sizable {
  /// The canvas size in pixels, each side 1 to 65535.
  public let size: Size
  /// The chain `pad:S:snap=false` that the filter applies.
  public let chain: FilterChain

  /// Creates a filter.
  /// - Parameter size: The canvas size in pixels, each side 1 to 65535.
  public init(size: Size) {
    self.size = size
    chain = FilterChain(typed: "AspectScaledToFitSizeFilter", [("size", .size(SizeSpecification(size)))])
  }
}

/// `fill:S:snap=false`: scales the image to cover the size and crops it around the center.
///
/// Adds no alpha band. AlamofireImage's type of the same name.
public struct AspectScaledToFillSizeFilter: ChainedImageFilter, Sizable {
  /// The target size in pixels, each side 1 to 65535.
  public let size: Size
  /// The chain `fill:S:snap=false` that the filter applies.
  public let chain: FilterChain

  /// Creates a filter.
  /// - Parameter size: The target size in pixels, each side 1 to 65535.
  public init(size: Size) {
    self.size = size
    chain = FilterChain(typed: "AspectScaledToFillSizeFilter", [("size", .size(SizeSpecification(size)))])
  }
}

/// `rounded:R:style=continuous`: rounds the corners with Apple's continuous curve.
///
/// The result has an alpha band. AlamofireImage's type of the same name.
public struct RoundedCornersFilter: ChainedImageFilter, Roundable {
  /// The corners' radius in pixels, 0 to 65535; at most half of the shorter side is used.
  public let radius: Double
  /// The chain `rounded:R:style=continuous` that the filter applies.
  public let chain: FilterChain

  /// Creates a filter for a corner radius.
  /// - Parameter radius: Pixels, 0 to 65535. Unlike a `UIImage`, a libvips image has no scale that divides it.
  public init(radius: Double) {
    self.radius = radius
    chain = FilterChain(typed: "RoundedCornersFilter", [("radius", .length(.pixels(radius)))])
  }
}

/// `circle`: crops the image to its center square, then to a circle.
///
/// The result has an alpha band. AlamofireImage's type of the same name.
public struct CircleFilter: ChainedImageFilter {
  /// The chain `circle` that the filter applies.
  public let chain: FilterChain

  /// Creates the filter, which takes no arguments.
  public init() { chain = FilterChain(typed: "CircleFilter") }
}

/// `ci:NAME`: a Core Image filter by name, computed by libvips.
///
/// AlamofireImage's type of the same name.
public struct CoreImageFilter: ChainedImageFilter {
  /// Core Image's name for the filter, such as `CISepiaTone`.
  public let filterName: String
  /// Values in the chain grammar's notation, by Core Image's keys.
  public let parameters: [String: String]
  /// The chain `ci:NAME` with the parameters, which the filter applies.
  public let chain: FilterChain

  /// Creates a Core Image filter.
  /// - Parameters:
  ///   - filterName: Core Image's name for the filter, such as `CISepiaTone`.
  ///   - parameters: Values in the chain grammar's notation, by Core Image's keys. Default: none. Applying throws
  ///     `unknown-filter` if the filter isn't supported, and `bad-argument` if it doesn't have one of the parameters or a
  ///     value is invalid.
  public init(filterName: String, parameters: [String: String] = [:]) {
    self.filterName = filterName
    self.parameters = parameters
    do throws(FilterError) {
      chain = try FilterChain(
        name: "ci",
        arguments: [(nil, filterName)] + parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    } catch {
      chain = FilterChain(problem: error)
    }
  }
}

/// `blur:R:edge=extend:linear=true`: blurs as CIGaussianBlur does, growing the image by 3 radii on each side.
///
/// The result has an alpha band. AlamofireImage's type of the same name.
public struct BlurFilter: ChainedImageFilter {
  /// The chain `blur:R:edge=extend:linear=true` that the filter applies.
  public let chain: FilterChain

  /// Creates a blur.
  /// - Parameter blurRadius: The Gaussian's standard deviation in pixels, 0 to 1000.
  public init(blurRadius: Int = 10) {
    chain = FilterChain(typed: "BlurFilter", [("radius", .integer(blurRadius))])
  }
}

/// `scale:S,rounded:R`: scales to exactly the size, then rounds the corners with Apple's continuous curve.
///
/// The result has an alpha band. AlamofireImage's type of the same name.
public struct ScaledToSizeWithRoundedCornersFilter: ChainedImageFilter, Sizable, Roundable {
  /// The target size in pixels, each side 1 to 65535.
  public let size: Size
  /// The corners' radius in pixels, 0 to 65535; at most half of the shorter side is used.
  public let radius: Double
  /// The chain `scale:S,rounded:R` that the filter applies.
  public let chain: FilterChain

  /// Creates a filter.
  /// - Parameters:
  ///   - size: The target size in pixels, each side 1 to 65535.
  ///   - radius: The corners' radius in pixels, 0 to 65535.
  public init(size: Size, radius: Double) {
    (self.size, self.radius) = (size, radius)
    chain = FilterChain(
      typed: "scale-rounded",
      [("size", .size(SizeSpecification(size))), ("radius", .length(.pixels(radius)))])
  }
}

/// `fill:S,rounded:R`: scales to cover the size, crops around the center, then rounds the corners.
///
/// The result has an alpha band. AlamofireImage's type of the same name.
public struct AspectScaledToFillSizeWithRoundedCornersFilter: ChainedImageFilter, Sizable, Roundable {
  /// The target size in pixels, each side 1 to 65535.
  public let size: Size
  /// The corners' radius in pixels, 0 to 65535; at most half of the shorter side is used.
  public let radius: Double
  /// The chain `fill:S,rounded:R` that the filter applies.
  public let chain: FilterChain

  /// Creates a filter.
  /// - Parameters:
  ///   - size: The target size in pixels, each side 1 to 65535.
  ///   - radius: The corners' radius in pixels, 0 to 65535.
  public init(size: Size, radius: Double) {
    (self.size, self.radius) = (size, radius)
    chain = FilterChain(
      typed: "fill-rounded", [("size", .size(SizeSpecification(size))), ("radius", .length(.pixels(radius)))])
  }
}

/// `scale:S,circle`: scales to exactly the size, then crops to the center square and to a circle.
///
/// The result has an alpha band. AlamofireImage's type of the same name.
public struct ScaledToSizeCircleFilter: ChainedImageFilter, Sizable {
  /// The target size in pixels, each side 1 to 65535.
  public let size: Size
  /// The chain `scale:S,circle` that the filter applies.
  public let chain: FilterChain

  /// Creates a filter.
  /// - Parameter size: The target size in pixels, each side 1 to 65535.
  public init(size: Size) {
    self.size = size
    chain = FilterChain(typed: "scale-circle", [("size", .size(SizeSpecification(size)))])
  }
}

/// `fill:S,circle`: scales to cover the size, crops around the center, then crops to the center square and to
/// a circle.
///
/// The result has an alpha band. AlamofireImage's type of the same name.
public struct AspectScaledToFillSizeCircleFilter: ChainedImageFilter, Sizable {
  /// The target size in pixels, each side 1 to 65535.
  public let size: Size
  /// The chain `fill:S,circle` that the filter applies.
  public let chain: FilterChain

  /// Creates a filter.
  /// - Parameter size: The target size in pixels, each side 1 to 65535.
  public init(size: Size) {
    self.size = size
    chain = FilterChain(typed: "fill-circle", [("size", .size(SizeSpecification(size)))])
  }
}

extension Size {
  var text: String { "\(width)x\(height)" }
}
