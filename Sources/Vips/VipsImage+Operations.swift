/// Common operations. Each throws `VipsError` if libvips lacks the operation, rejects an argument or fails.
extension VipsImage {
  /// Applies an operation whose input `in` is this image and whose output `out` is an image.
  /// - Parameters:
  ///   - nickname: libvips' name for the operation, such as `flip`.
  ///   - arguments: The operation's other arguments. Default: none.
  /// - Throws: `VipsError` if libvips lacks the operation or an argument, rejects a value, or the operation
  ///   fails.
  public func applying(_ nickname: String, _ arguments: VipsArguments = [:]) throws(VipsError) -> VipsImage {
    let input: VipsArguments = ["in": .image(self)]
    return try VipsOperation.image(nickname, input.merging(arguments))
  }

  /// Runs an operation whose input `in` is this image and whose output `out` is a number.
  ///
  /// The operation runs at once and computes the pixels that it needs.
  /// - Parameters:
  ///   - nickname: libvips' name for the operation, such as `avg`.
  ///   - arguments: The operation's other arguments. Default: none.
  /// - Throws: `VipsError` if libvips lacks the operation or an argument, rejects a value, or the operation
  ///   fails.
  public func measuring(_ nickname: String, _ arguments: VipsArguments = [:]) throws(VipsError) -> Double {
    let input: VipsArguments = ["in": .image(self)]
    return try VipsOperation(nickname, input.merging(arguments)).double()
  }

  /// Applies a pointwise operation to two images.
  ///
  /// Two images with several bands must have the same number of bands. The samples of the result have a type
  /// that holds them: `add` of two `uchar` images makes a `ushort` image.
  /// - Parameters:
  ///   - nickname: `add`, `subtract`, `multiply` or `divide`, or another operation with the inputs `left` and
  ///     `right`.
  ///   - right: The second operand; this image is the first.
  /// - Throws: `VipsError` if libvips lacks the operation, or the numbers of bands don't match.
  public func combined(_ nickname: String, with right: VipsImage) throws(VipsError) -> VipsImage {
    try VipsOperation.image(nickname, ["left": .image(self), "right": .image(right)])
  }

  /// Multiplies each sample by a factor and adds an offset (libvips `linear`). Integer samples become
  /// `float`.
  /// - Parameters:
  ///   - factors: One number per band, or one for all bands.
  ///   - offsets: One number per band, or one for all bands, in units of the samples.
  /// - Throws: `VipsError` if the numbers of factors and offsets don't match the bands.
  public func linear(_ factors: [Double], _ offsets: [Double]) throws(VipsError) -> VipsImage {
    try applying("linear", ["a": .doubles(factors), "b": .doubles(offsets)])
  }

  /// Converts the samples to another type (libvips `cast`), truncating fractions and clipping to the type's
  /// range.
  /// - Parameter format: The new type. The values keep their scale: 255 stays 255.
  /// - Returns: This image if it has the type already.
  /// - Throws: `VipsError` if the operation fails.
  public func cast(to format: BandFormat) throws(VipsError) -> VipsImage {
    format == self.format ? self : try applying("cast", ["format": .nick(format.rawValue)])
  }

  /// Crops to a rectangle inside the image (libvips `extract_area`).
  /// - Parameters:
  ///   - x: The distance of the rectangle's left edge from the image's, in pixels.
  ///   - y: The distance of the rectangle's top edge from the image's, in pixels.
  ///   - width: The rectangle's width in pixels, at least 1.
  ///   - height: The rectangle's height in pixels, at least 1.
  /// - Returns: This image if the rectangle is the whole image.
  /// - Throws: `VipsError` if the rectangle isn't inside the image.
  public func cropped(x: Int, y: Int, width: Int, height: Int) throws(VipsError) -> VipsImage {
    if x == 0, y == 0, width == self.width, height == self.height { return self }
    return try VipsOperation.image(
      "extract_area",
      [
        "input": .image(self), "left": .integer(x), "top": .integer(y), "width": .integer(width),
        "height": .integer(height),
      ])
  }

  /// Places the image on a canvas (libvips `embed`). Pixels outside of the canvas are cut off.
  /// - Parameters:
  ///   - x: The distance of the image's left edge from the canvas's, in pixels; may be negative.
  ///   - y: The distance of the image's top edge from the canvas's, in pixels; may be negative.
  ///   - width: The canvas's width in pixels.
  ///   - height: The canvas's height in pixels.
  ///   - extend: How to fill the rest: `black`, `copy`, `mirror`, `background` … (libvips `VipsExtend`).
  ///     Default: `black`.
  ///   - background: The color for `background`, one number per band or one for all bands. Default: 0.
  /// - Throws: `VipsError` if libvips rejects an argument.
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

  /// Extracts consecutive bands (libvips `extract_band`).
  /// - Parameters:
  ///   - first: The index of the first band, from 0.
  ///   - count: The number of bands, at least 1.
  /// - Returns: This image if all bands are extracted.
  /// - Throws: `VipsError` if the image doesn't have these bands.
  public func extractingBands(from first: Int, count: Int) throws(VipsError) -> VipsImage {
    if first == 0, count == bands { return self }
    return try applying("extract_band", ["band": .integer(first), "n": .integer(count)])
  }

  /// Appends the bands of other images to this image's (libvips `bandjoin`).
  ///
  /// The samples are converted to a common type, and smaller images are extended with zeros to the right and
  /// below.
  /// - Parameter others: The other images, in the order of their bands.
  /// - Throws: `VipsError` if the images can't be joined.
  public func joiningBands(_ others: [VipsImage]) throws(VipsError) -> VipsImage {
    try VipsOperation.image("bandjoin", ["in": .images([self] + others)])
  }

  /// Appends a band with a constant value (libvips `bandjoin_const`).
  /// - Parameter value: The value of every sample of the band, such as 255 for opaque alpha.
  /// - Throws: `VipsError` if the operation fails.
  public func joiningConstantBand(_ value: Double) throws(VipsError) -> VipsImage {
    try applying("bandjoin_const", ["c": .doubles([value])])
  }

  /// Converts the image to another color space with libvips' formulas (libvips `colourspace`), ignoring
  /// embedded profiles.
  ///
  /// Extra bands, such as alpha, are kept.
  /// - Parameter interpretation: The new color space.
  /// - Returns: This image if it is in the color space already.
  /// - Throws: `VipsError` if libvips can't convert between the two color spaces.
  public func converted(to interpretation: Interpretation) throws(VipsError) -> VipsImage {
    interpretation == self.interpretation
      ? self : try applying("colourspace", ["space": .nick(interpretation.rawValue)])
  }

  /// Stacks pages vertically in one image (libvips `arrayjoin` with `across=1`).
  /// - Parameter pages: The pages from top to bottom, normally of one size. A single page is returned
  ///   unchanged.
  /// - Throws: `VipsError` if the pages can't be joined, or there are none.
  public static func stacked(_ pages: [VipsImage]) throws(VipsError) -> VipsImage {
    if pages.count == 1, let page = pages.first { return page }
    return try VipsOperation.image("arrayjoin", ["in": .images(pages), "across": 1])
  }

  /// An image of one color with this image's size, format and interpretation.
  /// - Parameter values: The color, one number per band of the result, in the range of the format.
  /// - Throws: `VipsError` if an operation fails.
  public func filled(with values: [Double]) throws(VipsError) -> VipsImage {
    try VipsImage.plain(
      values, width: width, height: height, format: format, interpretation: interpretation)
  }

  /// An image of one color.
  /// - Parameters:
  ///   - values: The color, one number per band of the result, in the range of `format`.
  ///   - width: The width in pixels.
  ///   - height: The height in pixels.
  ///   - format: The type of the samples. Default: `uchar`.
  ///   - interpretation: The meaning of the bands. Default: sRGB.
  /// - Throws: `VipsError` if libvips rejects an argument, such as a width of 0.
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
