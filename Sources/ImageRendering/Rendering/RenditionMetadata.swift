import Vips

/// Keeps the metadata of renditions that libvips' `.v` format changes. Text is stored as XML (`vips.c`), which has no control
/// characters and one kind of line end. Whenever a block of EXIF is set, also by the loader, libvips parses it again
/// (`vips_image_set`), and the resolution and removed fields come back. Both are stored under other names, as bytes.
enum RenditionMetadata {
  /// The EXIF block.
  private static let block = "imagemill-exif"
  /// All text fields: names and values in turn, each with a zero byte at its end.
  private static let strings = "imagemill-strings"

  /// The same pixels with metadata that the format holds.
  static func packed(_ image: VipsImage) throws(VipsError) -> VipsImage {
    let exif = image.bytes("exif-data")
    let texts = image.fields.compactMap { name in image.string(name).map { (name: name, value: $0) } }
    guard exif != nil || texts.contains(where: { !isPlain($0.value) }) else { return image }
    return try image.editingMetadata { editor in
      if let exif {
        editor.remove("exif-data")
        editor.set(block, exif)
      }
      for text in texts { editor.remove(text.name) }
      editor.set(strings, texts.flatMap { [UInt8]($0.name.utf8) + [0] + [UInt8]($0.value.utf8) + [0] })
    }
  }

  /// The image that was given to ``packed(_:)``.
  static func unpacked(_ image: VipsImage) throws(VipsError) -> VipsImage {
    let exif = image.bytes(block)
    let texts = image.bytes(strings)
    guard exif != nil || texts != nil else { return image }
    let parsed = try image.editingMetadata { editor in
      editor.remove(block)
      editor.remove(strings)
      if let exif { editor.set("exif-data", exif) }
    }
    let stored = Set(image.fields)
    let orientation = image.integer("orientation")
    return try parsed.editingMetadata { editor in
      for field in parsed.fields where field != "exif-data" {
        if !stored.contains(field) || parsed.string(field) != nil { editor.remove(field) }
      }
      if let orientation { editor.set("orientation", orientation) }
      let parts = (texts ?? []).split(separator: 0, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
      for index in stride(from: 0, to: parts.count - 1, by: 2) { editor.set(parts[index], parts[index + 1]) }
    }.withResolution(of: image)
  }

  /// Whether XML holds the text unchanged.
  private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { (0x20..<0x7f).contains($0) } }
}
