import Vips

extension VipsImage {
  /// The sample of white and of opaque alpha: 65535 for 16-bit images, otherwise 255.
  var maximum: Double { format == .ushort ? 65_535 : 255 }

  /// The number of bands without alpha.
  var colorBands: Int { hasAlpha ? bands - 1 : bands }

  /// The bands without alpha.
  func colors() throws(VipsError) -> VipsImage { try extractingBands(from: 0, count: colorBands) }

  /// The alpha band; nil if the image has none.
  func alpha() throws(VipsError) -> VipsImage? {
    hasAlpha ? try extractingBands(from: bands - 1, count: 1) : nil
  }

  /// Adds an opaque alpha band if the image has none.
  func addingAlpha() throws(VipsError) -> VipsImage {
    hasAlpha ? self : try joiningConstantBand(maximum)
  }

  /// Combines this image's colors with another alpha band.
  /// - Parameter alpha: One band in this image's format.
  func replacingAlpha(_ alpha: VipsImage) throws(VipsError) -> VipsImage {
    try colors().joiningBands([alpha])
  }

  /// Multiplies alpha by a coverage mask. An image without alpha counts as opaque.
  /// - Parameter coverage: One band of 8 bits, where 255 is fully covered.
  func multiplyingAlpha(byCoverage coverage: VipsImage) throws(VipsError) -> VipsImage {
    guard let alpha = try alpha() else {
      let opaque =
        format == .ushort ? try coverage.linear([257], [0]).cast(to: .ushort) : coverage
      return try joiningBands([opaque])
    }
    let product = try alpha.combined("multiply", with: coverage).linear([1.0 / 255], [0.5]).cast(to: format)
    return try replacingAlpha(product)
  }

  /// Maps the colors and leaves alpha unchanged.
  func mappingColors(_ body: (VipsImage) throws -> VipsImage) throws -> VipsImage {
    let mapped = try body(try colors())
    guard let alpha = try alpha() else { return mapped }
    return try mapped.joiningBands([alpha]).copied(["interpretation": .nick(interpretation.rawValue)])
  }

  /// Converts computed samples to this image's format, rounded to nearest and clipped, with its interpretation.
  func rounding(_ computed: VipsImage) throws(VipsError) -> VipsImage {
    let numbers = computed.format == format ? computed : try computed.linear([1], [0.5]).cast(to: format)
    return try numbers.copied(["interpretation": .nick(interpretation.rawValue)])
  }

  /// Runs an operation that mixes pixels, such as resampling or blurring.
  ///
  /// Colors are premultiplied by alpha, so that transparent pixels don't bleed into their neighbors.
  /// - Parameters:
  ///   - linear: Whether to convert to linear light first.
  ///   - body: Takes and returns float bands; takes this image itself if no conversion is needed.
  func mixingPixels(linear: Bool = false, _ body: (VipsImage) throws -> VipsImage) throws -> VipsImage {
    if linear { return try mixingInLinearLight(body) }
    guard hasAlpha else { return try rounding(try body(self)) }
    let mixed = try body(try applying("premultiply", ["max-alpha": .double(maximum)]))
    return try rounding(mixed.applying("unpremultiply", ["max-alpha": .double(maximum)]))
  }

  private func mixingInLinearLight(_ body: (VipsImage) throws -> VipsImage) throws -> VipsImage {
    let encoded = interpretation
    let light = try colors().converted(to: .linear)
    guard let alpha = try alpha() else {
      return try rounding(try body(light).copied(["interpretation": "scrgb"]).converted(to: encoded))
    }
    // Scale alpha to 0…1, like the linear light.
    let coverage = try alpha.linear([1 / maximum], [0])
    let mixed = try body(try light.combined("multiply", with: coverage).joiningBands([coverage]))
    let count = mixed.bands - 1
    let mixedCoverage = try mixed.extractingBands(from: count, count: 1)
    let colors = try mixed.extractingBands(from: 0, count: count).combined("divide", with: mixedCoverage)
    let back = try colors.copied(["interpretation": "scrgb"]).converted(to: encoded)
    let newAlpha = try mixedCoverage.linear([maximum], [0.5]).cast(to: format)
    return try rounding(back).joiningBands([newAlpha]).copied(["interpretation": .nick(encoded.rawValue)])
  }
}
