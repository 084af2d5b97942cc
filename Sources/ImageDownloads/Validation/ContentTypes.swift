/// Media types of image sources.
public enum ContentTypes {
  /// Those that AlamofireImage accepts. `application/octet-stream` is what servers send that know nothing better.
  public static let images: Set<String> = [
    "application/octet-stream", "image/avif", "image/bmp", "image/gif", "image/heic", "image/heif",
    "image/ico",
    "image/jp2", "image/jpeg", "image/jpg", "image/jxl", "image/png", "image/tiff", "image/webp",
    "image/x-bmp",
    "image/x-icon", "image/x-ms-bmp", "image/x-win-bitmap", "image/x-xbitmap",
  ]

  /// The type and subtype of a `Content-Type` field in lower case, without parameters.
  static func essence(_ field: String) -> String {
    FieldList.trimmed(field.prefix { $0 != ";" }).lowercased()
  }
}

/// What the first bytes of a body say about it.
enum ContentSignature {
  /// How many bytes are looked at.
  static let length = 512

  /// In words, what the bytes are if they are certainly no image: a page, a document, a text.
  static func refusal(_ bytes: [UInt8]) -> String? {
    let start = bytes.drop { [0x20, 0x09, 0x0a, 0x0d, 0x0c].contains($0) }
    let text = String(decoding: start.prefix(64), as: UTF8.self).lowercased()
    if text.hasPrefix("<!doctype html") || text.hasPrefix("<html") || text.hasPrefix("<head")
      || text.hasPrefix("<body")
    {
      return "an HTML page"
    }
    if bytes.starts(with: "%PDF-".utf8) { return nil }
    if text.hasPrefix("{\"") || text.hasPrefix("[{") { return "JSON" }
    return nil
  }

  /// Whether the bytes begin like an image of a format that is read, whatever the content type says.
  static func isImage(_ bytes: [UInt8]) -> Bool {
    func has(_ signature: [UInt8], at offset: Int = 0) -> Bool {
      bytes.dropFirst(offset).starts(with: signature)
    }
    func has(_ text: String, at offset: Int = 0) -> Bool { has(Array(text.utf8), at: offset) }
    if has([0xff, 0xd8, 0xff]) || has([0x89, 0x50, 0x4e, 0x47]) || has("GIF8") || has("BM") { return true }
    if has("RIFF"), has("WEBP", at: 8) { return true }
    if has([0x49, 0x49, 0x2a, 0]) || has([0x4d, 0x4d, 0, 0x2a]) || has([0x49, 0x49, 0x2b, 0]) {
      return true
    }
    if has("ftyp", at: 4) { return true }
    if has([0, 0, 1, 0]) || has([0, 0, 2, 0]) || has([0xff, 0x0a]) || has([0, 0, 0, 0x0c]) { return true }
    return has("#define ")
  }
}
