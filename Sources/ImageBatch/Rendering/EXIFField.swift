import Vips

/// libvips' texts of EXIF fields: `value (value for people, type, 1 components, 4 bytes)`.
enum EXIFField {
  /// The value of a field, without what libvips says about it; nil where there is no such field.
  static func value(of name: String, in image: VipsImage) -> String? {
    image.text(name).map(value(in:))
  }

  /// The text before the last parenthesis, which may hold others itself.
  static func value(in text: String) -> String {
    guard text.hasSuffix(")") else { return text }
    var nesting = 0
    for index in text.indices.reversed() {
      if text[index] == ")" { nesting += 1 }
      if text[index] == "(" { nesting -= 1 }
      guard nesting == 0 else { continue }
      // Since libvips 8.17 there may be one blank more, which is libexif's.
      return index > text.startIndex ? String(text[..<index].reversed().drop { $0 == " " }.reversed()) : text
    }
    return text
  }
}
