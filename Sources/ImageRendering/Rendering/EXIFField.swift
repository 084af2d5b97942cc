import Vips

/// libvips' text form of EXIF fields: `value (formatted value, type, 1 components, 4 bytes)`.
enum EXIFField {
  /// The value of a field, without libvips' annotation; nil if the image has no such field.
  static func value(of name: String, in image: VipsImage) -> String? {
    image.text(name).map(value(in:))
  }

  /// The text before the last parenthesized group, which may contain nested parentheses.
  static func value(in text: String) -> String {
    guard text.hasSuffix(")") else { return text }
    var nesting = 0
    for index in text.indices.reversed() {
      if text[index] == ")" { nesting += 1 }
      if text[index] == "(" { nesting -= 1 }
      guard nesting == 0 else { continue }
      // libvips 8.17 may leave a second space, which libexif writes.
      return index > text.startIndex ? String(text[..<index].reversed().drop { $0 == " " }.reversed()) : text
    }
    return text
  }
}
