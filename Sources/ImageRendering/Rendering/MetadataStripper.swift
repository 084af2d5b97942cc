import Vips

/// Removes metadata that an output must not carry. It works by allowlist, so that GPS data never leaks by accident.
struct MetadataStripper {
  let policy: MetadataPolicy
  let keepsProfile: Bool
  /// Whether the orientation tag stays because the pixels aren't rotated.
  let keepsOrientation: Bool
  /// Whether libvips writes EXIF into the format. Otherwise the copyright goes into XMP.
  let writesEXIF: Bool

  /// Suffixes of libvips' EXIF field names for creator and copyright.
  private static let ownership = ["-Copyright", "-Artist", "-Author"]
  /// Fields that libvips needs to write frames and their timing.
  private static let timing: Set = [
    "page-height", "n-pages", "delay", "gif-delay", "loop", "gif-loop", "background",
  ]

  /// Fields that no saver writes: the header's, and what loaders tell of a file's form. Copying an image without them would
  /// take longer than all else here.
  private static let unwritten: Set = [
    "width", "height", "bands", "format", "coding", "interpretation", "xoffset", "yoffset", "xres", "yres",
    "filename", "vips-loader", "vips-sequential", "jpeg-multiscan", "jpeg-chroma-subsample", "interlaced",
  ]

  func applied(to image: VipsImage) throws(VipsError) -> VipsImage {
    let fields = image.fields
    if fields.allSatisfy(Self.unwritten.contains) { return image }
    // libvips rebuilds the EXIF block from the fields, without removed ones. Without a block, some savers write
    // no EXIF at all.
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
          // libvips strips its annotation at the last parenthesis, which may be part of the value.
          let own = EXIFField.value(of: field.name, in: image)
          editor.set(field.name, own.map(Ownership.exifText) ?? field.text)
        }
      }
      // Ownership from XMP stays in XMP: EXIF is limited to ASCII.
      if policy == .copyright
        ? !writesEXIF || fields.contains("xmp-data") : !fields.contains("xmp-data") && !writesEXIF
      {
        editor.set("xmp-data", ownership.packet)
      }
    }
  }

  /// Whether no metadata is left, so that the saver may `strip` what libvips would add.
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

  /// Resets the XMP packet's orientation to 1, because the pixels have been rotated.
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
    // The thumbnail would show the image before it was cropped or redacted.
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
