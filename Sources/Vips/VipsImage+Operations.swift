/// Common operations. Each throws `VipsError` if libvips lacks the operation, rejects an argument or fails.
extension VipsImage {
  /// Applies an operation whose input `in` is this image and whose output `out` is an image.
  public func applying(_ nickname: String, _ arguments: VipsArguments = [:]) throws(VipsError) -> VipsImage {
    let input: VipsArguments = ["in": .image(self)]
    return try VipsOperation.image(nickname, input.merging(arguments))
  }

  /// Runs an operation whose input `in` is this image and whose output `out` is a number.
  public func measuring(_ nickname: String, _ arguments: VipsArguments = [:]) throws(VipsError) -> Double {
    let input: VipsArguments = ["in": .image(self)]
    return try VipsOperation(nickname, input.merging(arguments)).double()
  }

  /// Applies a pointwise operation to two images: `add`, `subtract`, `multiply` or `divide`.
  public func combined(_ nickname: String, with right: VipsImage) throws(VipsError) -> VipsImage {
    try VipsOperation.image(nickname, ["left": .image(self), "right": .image(right)])
  }

  /// Multiplies by `factors` and adds `offsets`, each with one number per band or one for all bands.
  public func linear(_ factors: [Double], _ offsets: [Double]) throws(VipsError) -> VipsImage {
    try applying("linear", ["a": .doubles(factors), "b": .doubles(offsets)])
  }

  /// Converts the samples to another type, truncating fractions and clipping to the type's range.
  public func cast(to format: BandFormat) throws(VipsError) -> VipsImage {
    format == self.format ? self : try applying("cast", ["format": .nick(format.rawValue)])
  }

  /// Crops to a rectangle, in pixels, which must lie inside the image.
  public func cropped(x: Int, y: Int, width: Int, height: Int) throws(VipsError) -> VipsImage {
    if x == 0, y == 0, width == self.width, height == self.height { return self }
    return try VipsOperation.image(
      "extract_area",
      [
        "input": .image(self), "left": .integer(x), "top": .integer(y), "width": .integer(width),
        "height": .integer(height),
      ])
  }

  /// Places the image at `x` and `y` on a canvas of `width` by `height` pixels.
  /// - Parameters:
  ///   - extend: How to fill the rest: `black`, `copy`, `mirror` or `background` (libvips `VipsExtend`).
  ///   - background: The color for `background`, one number per band.
  public func embedded(
    x: Int, y: Int, width: Int, height: Int, extend: String = "black", background: [Double]? = nil
  ) throws(VipsError) -> VipsImage {
    var arguments: VipsArguments = [
      "x": .integer(x), "y": .integer(y), "width": .integer(width), "height": .integer(height),
      "extend": .nick(extend),
    ]
    arguments["background"] = background.map { .doubles($0) }
    return try applying("embed", arguments)
  }

  /// Extracts `count` bands, starting at band `first`.
  public func extractingBands(from first: Int, count: Int) throws(VipsError) -> VipsImage {
    if first == 0, count == bands { return self }
    return try applying("extract_band", ["band": .integer(first), "n": .integer(count)])
  }

  /// Appends the bands of other images to this image's.
  public func joiningBands(_ others: [VipsImage]) throws(VipsError) -> VipsImage {
    try VipsOperation.image("bandjoin", ["in": .images([self] + others)])
  }

  /// Appends a band with a constant value.
  public func joiningConstantBand(_ value: Double) throws(VipsError) -> VipsImage {
    try applying("bandjoin_const", ["c": .doubles([value])])
  }

  /// Converts the image to another color space with libvips' formulas, ignoring embedded profiles.
  public func converted(to interpretation: Interpretation) throws(VipsError) -> VipsImage {
    interpretation == self.interpretation
      ? self : try applying("colourspace", ["space": .nick(interpretation.rawValue)])
  }

  /// Stacks pages vertically in one image.
  public static func stacked(_ pages: [VipsImage]) throws(VipsError) -> VipsImage {
    if pages.count == 1, let page = pages.first { return page }
    return try VipsOperation.image("arrayjoin", ["in": .images(pages), "across": 1])
  }

  /// An image of one color with this image's size, format and interpretation.
  /// - Parameter values: The color, one number per band.
  public func filled(with values: [Double]) throws(VipsError) -> VipsImage {
    try VipsImage.plain(
      values, width: width, height: height, format: format, interpretation: interpretation)
  }

  /// An image of one color, with sizes in pixels.
  /// - Parameter values: The color, one number per band.
  public static func plain(
    _ values: [Double], width: Int, height: Int, format: BandFormat = .uchar,
    interpretation: Interpretation = .sRGB
  ) throws(VipsError) -> VipsImage {
    let dot = try VipsOperation.image("black", ["width": 1, "height": 1, "bands": .integer(values.count)])
      .linear(values.map { _ in 1 }, values)
      .cast(to: format)
    return try dot.embedded(x: 0, y: 0, width: width, height: height, extend: "copy")
      .copied(["interpretation": .nick(interpretation.rawValue)])
  }
}
