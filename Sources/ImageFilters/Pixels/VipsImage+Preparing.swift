public import Vips

extension VipsImage {
  /// The picture as filters take it: upright, in sRGB of 8 or 16 bits, 3 bands and perhaps an alpha.
  ///
  /// Colours go through the embedded profile; inks without one through libvips' own. Nothing is done to a
  /// picture that is so already.
  /// - Throws: `FilterError` with code `filter-failed` where libvips can't convert it.
  public func preparedForFilters() throws(FilterError) -> VipsImage {
    do {
      return try upright().inSRGB()
    } catch {
      throw FilterError(
        .failed, "the picture's colours can't be converted to sRGB: \(error.description)", cause: error)
    }
  }

  /// The picture as its EXIF orientation wants it seen, and without that tag.
  public func upright() throws(VipsError) -> VipsImage {
    // Pages are one tall picture, which must not be turned as one.
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

  /// Whether it is RGB or gray of 8 or 16 bits, so that filters that move pixels can take it as it is.
  public var isPlainColour: Bool {
    let plain: [Interpretation] = [.sRGB, .rgb16, .gray, .gray16]
    return plain.contains(interpretation) && (format == .uchar || format == .ushort)
  }

  /// The picture in sRGB of 8 or 16 bits, through its embedded profile where it has one.
  public func inSRGB() throws(VipsError) -> VipsImage {
    let deep = format == .ushort || interpretation == .rgb16 || interpretation == .gray16
    var picture = self
    if hasField("icc-profile-data"), !hasStandardProfile,
      Self.profiledSpaces.contains(interpretation.rawValue),
      let transformed = try transformedThroughProfile(deep: deep)
    {
      picture = transformed
    } else if interpretation == .cmyk {
      picture = try applying(
        "icc_transform", ["output-profile": "srgb", "input-profile": "cmyk", "depth": deep ? 16 : 8])
    }
    if picture.interpretation != .sRGB, picture.interpretation != .rgb16 {
      picture = try picture.converted(to: deep ? .rgb16 : .sRGB)
    }
    let wanted: BandFormat = picture.interpretation == .rgb16 ? .ushort : .uchar
    if picture.format != wanted { picture = try picture.cast(to: wanted) }
    // What is left over beyond one alpha means nothing to a viewer.
    if picture.bands > 4 { picture = try picture.extractingBands(from: 0, count: 4) }
    guard picture.hasField("icc-profile-data") else { return picture }
    return try picture.editingMetadata { $0.remove("icc-profile-data") }
  }

  /// The interpretations whose numbers an embedded profile can explain.
  private static let profiledSpaces: Set = ["srgb", "rgb", "rgb16", "b-w", "grey16", "cmyk", "multiband"]

  /// nil where the profile doesn't fit the picture, which happens: then its numbers are taken for what they
  /// are without one, as browsers do.
  private func transformedThroughProfile(deep: Bool) throws(VipsError) -> VipsImage? {
    guard profileFits else { return nil }
    return try applying(
      "icc_transform",
      ["output-profile": "srgb", "embedded": true, "intent": "relative", "depth": deep ? 16 : 8])
  }

  /// Whether the profile is for as many colours as the picture has: its header names the space (ICC.1 7.2.6).
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

  /// Whether the embedded profile is one of the usual ones for sRGB itself: going through it would change
  /// nothing but the time.
  private var hasStandardProfile: Bool {
    guard let profile = bytes("icc-profile-data"), profile.count >= 132, bands >= 3 else { return false }
    return ProfileDescription.isStandardRGB(profile)
  }
}
