import Vips

extension VipsImage {
  /// White, or an opaque alpha: 255, or 65535 where the picture has 16 bits.
  var maximum: Double { format == .ushort ? 65_535 : 255 }

  /// The bands that are colours, without the alpha.
  var colourBands: Int { hasAlpha ? bands - 1 : bands }

  /// The colours without the alpha.
  func colours() throws(VipsError) -> VipsImage { try extractingBands(from: 0, count: colourBands) }

  /// The alpha as one band; nil for a picture that has none.
  func alpha() throws(VipsError) -> VipsImage? {
    hasAlpha ? try extractingBands(from: bands - 1, count: 1) : nil
  }

  /// The picture with an opaque alpha, unless it has one.
  func addingAlpha() throws(VipsError) -> VipsImage {
    hasAlpha ? self : try joiningConstantBand(maximum)
  }

  /// The same colours with another alpha.
  /// - Parameter alpha: One band of this picture's format.
  func replacingAlpha(_ alpha: VipsImage) throws(VipsError) -> VipsImage {
    try colours().joiningBands([alpha])
  }

  /// The alpha times a coverage, where a picture without one counts as opaque.
  /// - Parameter coverage: One band of 8 bits, 255 inside.
  func multiplyingAlpha(byCoverage coverage: VipsImage) throws(VipsError) -> VipsImage {
    guard let alpha = try alpha() else {
      let opaque =
        format == .ushort ? try coverage.linear([257], [0]).cast(to: .ushort) : coverage
      return try joiningBands([opaque])
    }
    let product = try alpha.combined("multiply", with: coverage).linear([1.0 / 255], [0.5]).cast(to: format)
    return try replacingAlpha(product)
  }

  /// Does something to the colours and leaves the alpha exactly as it is.
  func mappingColours(_ body: (VipsImage) throws -> VipsImage) throws -> VipsImage {
    let mapped = try body(try colours())
    guard let alpha = try alpha() else { return mapped }
    return try mapped.joiningBands([alpha]).copied(["interpretation": .nick(interpretation.rawValue)])
  }

  /// Computed numbers as this picture's: rounded to nearest, clipped, with its interpretation.
  func rounding(_ computed: VipsImage) throws(VipsError) -> VipsImage {
    let numbers = computed.format == format ? computed : try computed.linear([1], [0.5]).cast(to: format)
    return try numbers.copied(["interpretation": .nick(interpretation.rawValue)])
  }

  /// Does something that mixes pixels (a resampling, a blur): with colours premultiplied by the alpha, so that
  /// transparent pixels lend no colour to their neighbours, and on request in linear light.
  /// - Parameter body: Gets and returns float bands, or this picture itself where neither is needed.
  func mixingPixels(linear: Bool = false, _ body: (VipsImage) throws -> VipsImage) throws -> VipsImage {
    if linear { return try mixingInLinearLight(body) }
    guard hasAlpha else { return try rounding(try body(self)) }
    let mixed = try body(try applying("premultiply", ["max-alpha": .double(maximum)]))
    return try rounding(mixed.applying("unpremultiply", ["max-alpha": .double(maximum)]))
  }

  private func mixingInLinearLight(_ body: (VipsImage) throws -> VipsImage) throws -> VipsImage {
    let encoded = interpretation
    let light = try colours().converted(to: .linear)
    guard let alpha = try alpha() else {
      return try rounding(try body(light).copied(["interpretation": "scrgb"]).converted(to: encoded))
    }
    // Alpha counts 0 to 1 here, as the light does.
    let coverage = try alpha.linear([1 / maximum], [0])
    let mixed = try body(try light.combined("multiply", with: coverage).joiningBands([coverage]))
    let count = mixed.bands - 1
    let mixedCoverage = try mixed.extractingBands(from: count, count: 1)
    let colours = try mixed.extractingBands(from: 0, count: count).combined("divide", with: mixedCoverage)
    let back = try colours.copied(["interpretation": "scrgb"]).converted(to: encoded)
    let newAlpha = try mixedCoverage.linear([maximum], [0.5]).cast(to: format)
    return try rounding(back).joiningBands([newAlpha]).copied(["interpretation": .nick(encoded.rawValue)])
  }
}
