public import Vips

extension VipsImage {
  /// Converts the image to the form that filters expect: upright sRGB of 8 or 16 bits, with 3 bands or 4 with alpha.
  ///
  /// Colors are converted with the embedded profile. CMYK without a profile uses libvips' built-in one. An image that
  /// already has this form is returned unchanged.
  /// - Throws: `FilterError` with code `filter-failed` if libvips can't convert it.
  public func preparedForFilters() throws(FilterError) -> VipsImage {
    do {
      return try upright().inSRGB()
    } catch {
      throw FilterError(
        .failed, "the image's colors can't be converted to sRGB: \(error.description)", cause: error)
    }
  }

  /// Applies the EXIF orientation and removes the tag.
  /// - Returns: The image with each page turned; this image if it has no orientation tag.
  /// - Throws: `VipsError` if libvips fails.
  public func upright() throws(VipsError) -> VipsImage {
    // Pages are stacked in one tall image. Rotate each, not the stack.
    guard pageCount == 1 || orientation == 1 else {
      let side = pageHeight
      var pages: [VipsImage] = []
      for page in 0..<pageCount {
        pages.append(
          try cropped(x: 0, y: page * side, width: width, height: side)
            .editingMetadata { $0.remove("page-height") }.upright())
      }
      let height = pages.first?.height ?? side
      return try VipsImage.stacked(pages).editingMetadata { $0.set("page-height", height) }
    }
    let turned: VipsImage
    switch orientation {
    case 2: turned = try applying("flip", ["direction": "horizontal"])
    case 3: turned = try applying("rot", ["angle": "d180"])
    case 4: turned = try applying("flip", ["direction": "vertical"])
    case 5: turned = try applying("rot", ["angle": "d90"]).applying("flip", ["direction": "horizontal"])
    case 6: turned = try applying("rot", ["angle": "d90"])
    case 7: turned = try applying("rot", ["angle": "d270"]).applying("flip", ["direction": "horizontal"])
    case 8: turned = try applying("rot", ["angle": "d270"])
    default:
      guard hasField("orientation") || hasField("exif-ifd0-Orientation") else { return self }
      turned = self
    }
    return try turned.editingMetadata {
      $0.remove("orientation")
      $0.remove("exif-ifd0-Orientation")
    }
  }

  /// Whether the image is RGB or gray of 8 or 16 bits, which filters that only move pixels accept unconverted.
  public var isPlainColor: Bool {
    let plain: [Interpretation] = [.sRGB, .rgb16, .gray, .gray16]
    return plain.contains(interpretation) && (format == .uchar || format == .ushort)
  }

  /// Converts the image to sRGB of 8 or 16 bits, with its embedded profile if it has one.
  /// - Returns: An image with 3 bands, or 4 with alpha, of `uchar`, or of `ushort` if this image has 16 bits.
  ///   It has no profile.
  /// - Throws: `VipsError` if libvips fails.
  public func inSRGB() throws(VipsError) -> VipsImage {
    let deep = format == .ushort || interpretation == .rgb16 || interpretation == .gray16
    var image = self
    if hasField("icc-profile-data"), !hasStandardProfile,
      Self.profiledSpaces.contains(interpretation.rawValue),
      let transformed = try transformedThroughProfile(deep: deep)
    {
      image = transformed
    } else if interpretation == .cmyk {
      image = try applying(
        "icc_transform", ["output-profile": "srgb", "input-profile": "cmyk", "depth": deep ? 16 : 8])
    }
    if image.interpretation != .sRGB, image.interpretation != .rgb16 {
      image = try image.converted(to: deep ? .rgb16 : .sRGB)
    }
    let wanted: BandFormat = image.interpretation == .rgb16 ? .ushort : .uchar
    if image.format != wanted { image = try image.cast(to: wanted) }
    // Drop bands after the alpha; viewers ignore them.
    if image.bands > 4 { image = try image.extractingBands(from: 0, count: 4) }
    guard image.hasField("icc-profile-data") else { return image }
    return try image.editingMetadata { $0.remove("icc-profile-data") }
  }

  /// The interpretations to which an embedded profile can apply.
  private static let profiledSpaces: Set = ["srgb", "rgb", "rgb16", "b-w", "grey16", "cmyk", "multiband"]

  /// Converts with the embedded profile; nil if the profile is for another color space. Such files exist, and browsers
  /// ignore the profile too.
  private func transformedThroughProfile(deep: Bool) throws(VipsError) -> VipsImage? {
    guard profileFits else { return nil }
    return try applying(
      "icc_transform",
      ["output-profile": "srgb", "embedded": true, "intent": "relative", "depth": deep ? 16 : 8])
  }

  /// Whether the color space in the profile's header (ICC.1, 7.2.6) matches the image's bands.
  private var profileFits: Bool {
    guard let profile = bytes("icc-profile-data"), profile.count >= 132 else { return false }
    let space = String(decoding: profile[16..<20], as: UTF8.self)
    switch space {
    case "RGB ": return bands >= 3 && interpretation != .cmyk
    case "GRAY": return bands <= 2
    case "CMYK": return bands >= 4 && interpretation == .cmyk
    default: return false
    }
  }

  /// Whether the embedded profile is a common sRGB profile. Converting with it would only cost time.
  private var hasStandardProfile: Bool {
    guard let profile = bytes("icc-profile-data"), profile.count >= 132, bands >= 3 else { return false }
    return ProfileDescription.isStandardRGB(profile)
  }
}
