import Vips

/// Takes away the metadata that an output must not carry. Positions and orientations never survive by accident.
struct MetadataPruning {
  let policy: MetadataPolicy
  let keepsProfile: Bool

  /// EXIF fields (by the end of libvips' names for them) that say who made a picture and who owns it.
  private static let ownership = ["-Copyright", "-Artist"]
  /// What libvips itself needs to write frames rightly.
  private static let timing: Set = [
    "page-height", "n-pages", "delay", "gif-delay", "loop", "gif-loop", "background",
  ]

  func applied(to image: VipsImage) throws(VipsError) -> VipsImage {
    let fields = image.fields
    // libvips writes the EXIF block anew from its fields: what has lost its field is left out of it. Without a
    // block some savers write none.
    let keepsBlock =
      policy == .copyright && fields.contains { field in Self.ownership.contains { field.hasSuffix($0) } }
    return try image.editingMetadata { editor in
      for field in fields where !keeps(field) && !(keepsBlock && field == "exif-data") {
        editor.remove(field)
      }
    }
  }

  private func keeps(_ field: String) -> Bool {
    if field == "icc-profile-data" { return keepsProfile }
    if Self.timing.contains(field) { return true }
    switch policy {
    case .all: return true
    case .copyright:
      guard field.hasPrefix("exif-") else { return !field.hasSuffix("-data") && field != "orientation" }
      return Self.ownership.contains { field.hasSuffix($0) }
    case .none: return !field.hasPrefix("exif-") && !field.hasSuffix("-data")
    }
  }
}
