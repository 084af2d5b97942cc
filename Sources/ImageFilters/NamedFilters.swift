/// `scale:S`: exactly the size, aspect disregarded. AlamofireImage's type of this name.
public struct ScaledToSizeFilter: ChainedImageFilter, Sizable {
  /// In pixels.
  public let size: Extent
  /// `scale` with its defaults.
  public let chain: FilterChain

  /// - Throws: `FilterError` where a side isn't 1 to 65535.
  public init(size: Extent) throws(FilterError) {
    self.size = size
    chain = try FilterChain(name: "ScaledToSizeFilter", arguments: [(nil, size.text)])
  }
}

/// `pad:S:snap=false`: fitted into the size on a transparent canvas.
public struct AspectScaledToFitSizeFilter: ChainedImageFilter, Sizable {
  /// In pixels.
  public let size: Extent
  /// `pad` with `snap=false`.
  public let chain: FilterChain

  /// - Throws: `FilterError` where a side isn't 1 to 65535.
  public init(size: Extent) throws(FilterError) {
    self.size = size
    chain = try FilterChain(name: "AspectScaledToFitSizeFilter", arguments: [(nil, size.text)])
  }
}

/// `fill:S:snap=false`: covers the size, centred, what falls outside is cut off.
public struct AspectScaledToFillSizeFilter: ChainedImageFilter, Sizable {
  /// In pixels.
  public let size: Extent
  /// `fill` with `snap=false`.
  public let chain: FilterChain

  /// - Throws: `FilterError` where a side isn't 1 to 65535.
  public init(size: Extent) throws(FilterError) {
    self.size = size
    chain = try FilterChain(name: "AspectScaledToFillSizeFilter", arguments: [(nil, size.text)])
  }
}

/// `rounded:R:style=continuous`: Apple's corners.
public struct RoundedCornersFilter: ChainedImageFilter, Roundable {
  /// In pixels.
  public let radius: Double
  /// `rounded` with `style=continuous`.
  public let chain: FilterChain

  /// - Parameter radius: In pixels, 0 to 65535. A picture here has no scale to divide it by.
  public init(radius: Double) throws(FilterError) {
    self.radius = radius
    chain = try FilterChain(name: "RoundedCornersFilter", arguments: [(nil, Number.text(radius))])
  }
}

/// `circle`: cut to the shorter side, then to a disc.
public struct CircleFilter: ChainedImageFilter {
  /// `circle`.
  public let chain: FilterChain

  /// A filter without settings.
  public init() throws(FilterError) { chain = try FilterChain(name: "CircleFilter", arguments: []) }
}

/// `ci:NAME`: a Core Image filter by name.
public struct CoreImageFilter: ChainedImageFilter {
  /// Core Image's name.
  public let filterName: String
  /// By Core Image's keys, as the grammar of chains writes values.
  public let parameters: [String: String]
  /// `ci:` with the parameters.
  public let chain: FilterChain

  /// - Throws: `FilterError` where the filter isn't one that is done here, or has no such parameter.
  public init(filterName: String, parameters: [String: String] = [:]) throws(FilterError) {
    self.filterName = filterName
    self.parameters = parameters
    chain = try FilterChain(
      name: "ci",
      arguments: [(nil, filterName)] + parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }
}

/// `blur:R:edge=extend:linear=true`: CIGaussianBlur's look; the picture grows by 3 radii a side.
public struct BlurFilter: ChainedImageFilter {
  /// `blur` with `edge=extend` and `linear=true`.
  public let chain: FilterChain

  /// - Parameter blurRadius: The standard deviation in pixels.
  public init(blurRadius: Int = 10) throws(FilterError) {
    chain = try FilterChain(name: "BlurFilter", arguments: [(nil, String(blurRadius))])
  }
}

/// `scale:S,rounded:R`.
public struct ScaledToSizeWithRoundedCornersFilter: ChainedImageFilter, Sizable, Roundable {
  /// In pixels.
  public let size: Extent
  /// In pixels.
  public let radius: Double
  /// The chain of the two.
  public let chain: FilterChain

  /// - Throws: `FilterError` where a side isn't 1 to 65535 or the radius is negative.
  public init(size: Extent, radius: Double) throws(FilterError) {
    (self.size, self.radius) = (size, radius)
    chain = try FilterChain(name: "scale-rounded", arguments: [(nil, size.text), (nil, Number.text(radius))])
  }
}

/// `fill:S,rounded:R`.
public struct AspectScaledToFillSizeWithRoundedCornersFilter: ChainedImageFilter, Sizable, Roundable {
  /// In pixels.
  public let size: Extent
  /// In pixels.
  public let radius: Double
  /// The chain of the two.
  public let chain: FilterChain

  /// - Throws: `FilterError` where a side isn't 1 to 65535 or the radius is negative.
  public init(size: Extent, radius: Double) throws(FilterError) {
    (self.size, self.radius) = (size, radius)
    chain = try FilterChain(name: "fill-rounded", arguments: [(nil, size.text), (nil, Number.text(radius))])
  }
}

/// `scale:S,circle`.
public struct ScaledToSizeCircleFilter: ChainedImageFilter, Sizable {
  /// In pixels.
  public let size: Extent
  /// The chain of the two.
  public let chain: FilterChain

  /// - Throws: `FilterError` where a side isn't 1 to 65535.
  public init(size: Extent) throws(FilterError) {
    self.size = size
    chain = try FilterChain(name: "scale-circle", arguments: [(nil, size.text)])
  }
}

/// `fill:S,circle`.
public struct AspectScaledToFillSizeCircleFilter: ChainedImageFilter, Sizable {
  /// In pixels.
  public let size: Extent
  /// The chain of the two.
  public let chain: FilterChain

  /// - Throws: `FilterError` where a side isn't 1 to 65535.
  public init(size: Extent) throws(FilterError) {
    self.size = size
    chain = try FilterChain(name: "fill-circle", arguments: [(nil, size.text)])
  }
}

extension Extent {
  var text: String { "\(width)x\(height)" }
}
