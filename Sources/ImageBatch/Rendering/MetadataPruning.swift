import Vips

/// Takes away the metadata that an output must not carry. Positions never survive by accident: all goes but what
/// is named here.
struct MetadataPruning {
  let policy: MetadataPolicy
  let keepsProfile: Bool
  /// The tag stays where the pixels were left as they were.
  let keepsOrientation: Bool

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
    return try image.editingMetadata { editor in
      for field in fields where !keeps(field) && !(needsBlock && field == "exif-data") {
        editor.remove(field)
      }
    }
  }

  /// Whether anything is kept that a saver's `strip` would take.
  var keepsAnything: Bool { policy != .none || keepsProfile || keepsOrientation }

  private func keeps(_ field: String) -> Bool {
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
