import Vips

/// An image's creator and copyright. XMP is preferred to EXIF, whose text is ASCII only.
struct Ownership: Hashable {
  /// EXIF's Copyright (33432), XMP's `dc:rights`.
  var copyright: String?
  /// EXIF's Artist (315), XMP's `dc:creator`.
  var artist: String?

  var isEmpty: Bool { copyright == nil && artist == nil }

  init(of image: VipsImage) {
    let text = image.bytes("xmp-data").map { String(decoding: $0, as: UTF8.self) } ?? ""
    copyright = Self.element("dc:rights", in: text) ?? EXIFField.value(of: "exif-ifd0-Copyright", in: image)
    artist = Self.element("dc:creator", in: text) ?? EXIFField.value(of: "exif-ifd0-Artist", in: image)
  }

  /// An XMP packet with only these fields (ISO 16684-1).
  var packet: [UInt8] {
    var text = #"<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">"#
    text += #"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">"#
    text += #"<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">"#
    if let copyright {
      text += #"<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">"# + Self.escaped(copyright)
      text += "</rdf:li></rdf:Alt></dc:rights>"
    }
    if let artist {
      text += "<dc:creator><rdf:Seq><rdf:li>" + Self.escaped(artist) + "</rdf:li></rdf:Seq></dc:creator>"
    }
    text += #"</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>"#
    return Array(text.utf8)
  }

  /// The EXIF fields in libvips' text form. libvips writes them as ASCII.
  var exifFields: [(name: String, text: String)] {
    [("exif-ifd0-Copyright", copyright), ("exif-ifd0-Artist", artist)].compactMap { name, value in
      value.map { (name, Self.exifText($0)) }
    }
  }

  /// A value with an annotation in parentheses, which libvips strips.
  static func exifText(_ value: String) -> String { "\(value) (ASCII)" }

  // MARK: Reading

  /// The text of an element, or of the first item of its list.
  private static func element(_ name: String, in text: String) -> String? {
    guard let start = text.firstRange(of: "<\(name)>"),
      let end = text[start.upperBound...].firstRange(of: "</\(name)>")
    else { return nil }
    var inside = text[start.upperBound..<end.lowerBound]
    if let item = inside.firstRange(of: "<rdf:li"), let open = inside[item.upperBound...].firstIndex(of: ">"),
      let close = inside[open...].firstRange(of: "</rdf:li>")
    {
      inside = inside[inside.index(after: open)..<close.lowerBound]
    }
    let value = unescaped(String(inside))
    return value.isEmpty || value.contains("<") && inside.contains("<") ? nil : value
  }

  private static let entities = [
    ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&"),
  ]

  private static func unescaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.first {
      if let (entity, meaning) = entities.first(where: { rest.starts(with: $0.0.unicodeScalars) }) {
        result.append(contentsOf: meaning.unicodeScalars)
        rest = rest.dropFirst(entity.unicodeScalars.count)
      } else {
        result.append(scalar)
        rest = rest.dropFirst()
      }
    }
    return String(result)
  }

  /// Works on scalars: a combining mark after `<` would form one `Character` with it and hide it.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&apos;"
      case "&": result += "&amp;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      // XML 1.0 allows no other control characters and not these noncharacters.
      case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": continue
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
