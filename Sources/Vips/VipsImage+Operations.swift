extension VipsImage {
  /// Applies an operation that takes this picture as `in` and makes one picture, `out`.
  public func applying(_ nickname: String, _ arguments: VipsArguments = [:]) throws(VipsError) -> VipsImage {
    let input: VipsArguments = ["in": .image(self)]
    return try VipsOperation.image(nickname, input.merging(arguments))
  }

  /// Runs an operation on this picture that makes one number, `out`.
  public func measuring(_ nickname: String, _ arguments: VipsArguments = [:]) throws(VipsError) -> Double {
    let input: VipsArguments = ["in": .image(self)]
    return try VipsOperation(nickname, input.merging(arguments)).double()
  }

  /// Applies a point operation on two pictures: `add`, `subtract`, `multiply`, `divide`.
  public func combined(_ nickname: String, with right: VipsImage) throws(VipsError) -> VipsImage {
    try VipsOperation.image(nickname, ["left": .image(self), "right": .image(right)])
  }

  /// The picture times `factors` plus `offsets`, a number for each band or one for all.
  public func linear(_ factors: [Double], _ offsets: [Double]) throws(VipsError) -> VipsImage {
    try applying("linear", ["a": .doubles(factors), "b": .doubles(offsets)])
  }

  /// The numbers in another type. Fractions are cut off; what is out of range is clipped.
  public func cast(to format: BandFormat) throws(VipsError) -> VipsImage {
    format == self.format ? self : try applying("cast", ["format": .nick(format.rawValue)])
  }

  /// The pixels inside a rectangle.
  public func cropped(x: Int, y: Int, width: Int, height: Int) throws(VipsError) -> VipsImage {
    if x == 0, y == 0, width == self.width, height == self.height { return self }
    return try VipsOperation.image(
      "extract_area",
      [
        "input": .image(self), "left": .integer(x), "top": .integer(y), "width": .integer(width),
        "height": .integer(height),
      ])
  }

  /// The picture on a larger canvas. `extend` is libvips' nickname: `black`, `copy`, `mirror`, `background`.
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

  /// Some bands, from the first on.
  public func extractingBands(from first: Int, count: Int) throws(VipsError) -> VipsImage {
    if first == 0, count == bands { return self }
    return try applying("extract_band", ["band": .integer(first), "n": .integer(count)])
  }

  /// This picture's bands and then the others'.
  public func joiningBands(_ others: [VipsImage]) throws(VipsError) -> VipsImage {
    try VipsOperation.image("bandjoin", ["in": .images([self] + others)])
  }

  /// One more band of one value.
  public func joiningConstantBand(_ value: Double) throws(VipsError) -> VipsImage {
    try applying("bandjoin_const", ["c": .doubles([value])])
  }

  /// The picture in another colour space, converted by libvips' own formulas.
  public func converted(to interpretation: Interpretation) throws(VipsError) -> VipsImage {
    interpretation == self.interpretation
      ? self : try applying("colourspace", ["space": .nick(interpretation.rawValue)])
  }

  /// The pages one under another.
  public static func stacked(_ pages: [VipsImage]) throws(VipsError) -> VipsImage {
    if pages.count == 1, let page = pages.first { return page }
    return try VipsOperation.image("arrayjoin", ["in": .images(pages), "across": 1])
  }

  /// A picture of one colour with this one's size, format and interpretation.
  /// - Parameter values: A number for each band.
  public func filled(with values: [Double]) throws(VipsError) -> VipsImage {
    try VipsImage.plain(
      values, width: width, height: height, format: format, interpretation: interpretation)
  }

  /// A picture of one colour.
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
