import Vips

/// Takes away the metadata that an output must not carry. Positions never survive by accident: all goes but what
/// is named here.
struct MetadataPruning {
  let policy: MetadataPolicy
  let keepsProfile: Bool
  /// The tag stays where the pixels were left as they were.
  let keepsOrientation: Bool
  /// Whether libvips writes EXIF into the format; where it doesn't, XMP says who owns the picture.
  let writesEXIF: Bool

  /// Ends of libvips' names for fields that say who made a picture and who owns it.
  private static let ownership = ["-Copyright", "-Artist", "-Author"]
  /// What libvips itself needs to write frames rightly.
  private static let timing: Set = [
    "page-height", "n-pages", "delay", "gif-delay", "loop", "gif-loop", "background",
  ]

  func applied(to image: VipsImage) throws(VipsError) -> VipsImage {
    let fields = image.fields
    // libvips writes the EXIF block anew from its fields: what has lost its field is left out of it. Without a
    // block some savers write none.
    let needsBlock = fields.contains { $0.hasPrefix("exif-ifd") && keeps($0) }
    let ownership = policy == .none ? nil : Ownership(of: image)
    return try image.editingMetadata { editor in
      for field in fields where !keeps(field) && !(needsBlock && field == "exif-data") {
        editor.remove(field)
      }
      if let packet = image.bytes("xmp-data"), keeps("xmp-data"), !keepsOrientation {
        editor.set("xmp-data", Self.upright(packet))
      }
      guard let ownership, !ownership.isEmpty else { return }
      if writesEXIF {
        for field in ownership.exifFields {
          // What libvips says behind a value may hold the value's own parentheses, of which it would drop the last.
          let own = EXIFField.value(of: field.name, in: image)
          editor.set(field.name, own.map(Ownership.exifText) ?? field.text)
        }
      }
      // What was said in XMP stays there, where letters beyond ASCII are.
      if policy == .copyright
        ? !writesEXIF || fields.contains("xmp-data") : !fields.contains("xmp-data") && !writesEXIF
      {
        editor.set("xmp-data", ownership.packet)
      }
    }
  }

  /// Whether nothing is left to be written beside the pixels, so that a saver's `strip` may take what libvips would
  /// make up.
  func leavesNothing(in pruned: VipsImage) -> Bool {
    guard !keepsProfile, !keepsOrientation else { return false }
    switch policy {
    case .none: return true
    case .all: return false
    case .copyright:
      return !pruned.fields.contains { field in
        field.hasPrefix("exif-") || field.hasSuffix("-data") || field.contains("-comment")
      }
    }
  }

  /// An XMP packet that calls the pixels upright, as they are then.
  private static func upright(_ packet: [UInt8]) -> [UInt8] {
    var text = String(decoding: packet, as: UTF8.self)
    for turn in 2...8 {
      text.replace("tiff:Orientation=\"\(turn)\"", with: "tiff:Orientation=\"1\"")
      text.replace("tiff:Orientation='\(turn)'", with: "tiff:Orientation='1'")
      text.replace("<tiff:Orientation>\(turn)<", with: "<tiff:Orientation>1<")
    }
    return Array(text.utf8)
  }

  private func keeps(_ field: String) -> Bool {
    // The thumbnail shows the picture as it was before it was cropped, turned or painted over.
    if field == "jpeg-thumbnail-data" || field.hasPrefix("exif-ifd1-") { return false }
    if field == "icc-profile-data" { return keepsProfile }
    if field == "orientation" || field == "exif-ifd0-Orientation" { return keepsOrientation }
    if Self.timing.contains(field) { return true }
    switch policy {
    case .all: return true
    case .copyright: return Self.ownership.contains { field.hasSuffix($0) }
    case .none: return false
    }
  }
}
