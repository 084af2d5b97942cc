import Vips

/// Keeps the metadata of renditions that libvips' `.v` format changes (libvips' `vips.c`): the loader parses an EXIF block
/// again, and sets the resolution and removed fields by it; text is stored as XML, which has no control characters and
/// one kind of line end. Both are stored under other names, as bytes.
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
    return try image.editingMetadata { editor in
      editor.remove(block)
      editor.remove(strings)
      // libvips sets some of its own while it opens a file.
      for name in image.fields where image.string(name) != nil { editor.remove(name) }
      let parts = (texts ?? []).split(separator: 0, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
      for index in stride(from: 0, to: parts.count - 1, by: 2) { editor.set(parts[index], parts[index + 1]) }
      if let exif { editor.set("exif-data", exif) }
    }
  }

  /// Whether XML holds the text unchanged.
  private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { (0x20..<0x7f).contains($0) } }
}
