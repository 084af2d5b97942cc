import SystemIO
import Vips

/// Rewrites an SVG from its parsed tokens, so that the decoder reads only what was checked here.
///
/// Comments, processing instructions and the document type are dropped. The decoder gets the bytes without a
/// path, so it has no base directory for a reference that the checks miss.
enum SVGDocument {
  /// The maximum size of an SVG in bytes.
  static let longest = 32 << 20

  /// Reads and rewrites the SVG in a file.
  /// - Throws: `RenderError` with code `external-reference` that names the reference, or `corrupt` with the
  ///   position.
  static func rewritten(_ place: FilePlace) throws(RenderError) -> [UInt8] {
    try rewritten(FileReading.contents(of: place, atMost: longest))
  }

  static func rewritten(_ bytes: [UInt8]) throws(RenderError) -> [UInt8] {
    guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) else {
      throw encodingRefusal("text that isn't UTF-8")
    }
    var scanner = XMLScanner(bytes)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var elements: [String] = []
    var text: [UInt8] = []
    while let token = try next(&scanner) {
      if case .text(let piece) = token {
        text += piece
        continue
      }
      if case .comment = token { continue }
      try append(&text, in: elements.last, to: &result)
      switch token {
      case .text, .comment: break
      case .declaration(let encoding):
        let name = encoding?.lowercased() ?? "utf-8"
        guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(name) else {
          throw encodingRefusal("the encoding '\(name.prefix(40))'")
        }
      case .instruction(let target):
        if target.lowercased() == "xml-stylesheet" { throw refusal("<?xml-stylesheet") }
      case .documentType(let hasEntities):
        if hasEntities { throw refusal("<!ENTITY") }
      case .start(let name, let attributes, let isEmpty):
        result += Array("<\(name)".utf8)
        for attribute in attributes {
          guard try keeps(attribute, of: name) else { continue }
          result += Array(" \(attribute.name)=\"".utf8)
          result += XMLScanner.escaped(attribute.value, inAttribute: true)
          result.append(UInt8(ascii: "\""))
        }
        result += Array((isEmpty ? "/>" : ">").utf8)
        if !isEmpty { elements.append(name) }
      case .end(let name):
        guard elements.popLast() == name else {
          throw damaged(scanner.failure("</\(name)> doesn't match the open element"))
        }
        result += Array("</\(name)>".utf8)
      }
    }
    guard elements.isEmpty else {
      throw DecodeFailure.truncated(.svg, "it ends inside <\(elements.last ?? "")>")
    }
    return result
  }

  private static func next(_ scanner: inout XMLScanner) throws(RenderError) -> XMLScanner.Token? {
    do throws(XMLScanner.Failure) { return try scanner.next() } catch { throw damaged(error) }
  }

  private static func damaged(_ failure: XMLScanner.Failure) -> RenderError {
    RenderError(code: .corrupt, stage: .decode, message: "the svg file is damaged (\(failure.message))")
  }

  /// Appends the text between two tags, after checking it if it is a style sheet.
  private static func append(
    _ text: inout [UInt8], in element: String?, to result: inout [UInt8]
  ) throws(RenderError) {
    defer { text = [] }
    guard let element else { return }
    if localName(element) == "style" { try checkStyle(text) }
    result += XMLScanner.escaped(text, inAttribute: false)
  }

  /// Whether an attribute is kept. A hyperlink's `href` is dropped rather than refused, because rendering
  /// doesn't follow it.
  private static func keeps(_ attribute: XMLScanner.Attribute, of element: String) throws(RenderError) -> Bool
  {
    // Check `href` first and only by its start: its value may be megabytes of image data.
    let isReference = localName(attribute.name) == "href"
    if isReference, localName(element) == "a" { return false }
    if isReference {
      let reference = String(decoding: attribute.value, as: UTF8.self).trimmed
      guard isInside(reference) else { throw refusal(reference) }
      return true
    }
    if attribute.name == "xmlns" || attribute.name.hasPrefix("xmlns:") {
      let space = String(decoding: attribute.value, as: UTF8.self).trimmed
      if space.lowercased().hasSuffix("/xinclude") { throw refusal("XInclude") }
      return true
    }
    // `xml:base` would change how the decoder resolves references.
    if attribute.name == "xml:base" { return false }
    try checkStyle(attribute.value)
    return true
  }

  /// Checks a style sheet, or an attribute's value, which may use CSS functions too.
  private static func checkStyle(_ value: [UInt8]) throws(RenderError) {
    // Every external reference in CSS contains one of these.
    guard value.contains(UInt8(ascii: "(")) || value.contains(UInt8(ascii: "@")) else { return }
    let plain = String(decoding: value, as: UTF8.self)
    for text in [plain, unescaped(plain)] {
      let text = text.lowercased()
      if text.contains("@import") { throw refusal("@import") }
      for rest in text.split(separator: "url(", omittingEmptySubsequences: false).dropFirst() {
        let reference = rest.prefix { $0 != ")" }.drop { $0.isWhitespace || $0 == "\"" || $0 == "'" }
        guard isInside(String(reference).trimmed) else { throw refusal(String(reference)) }
      }
    }
  }

  /// Whether a reference is to an element of this document or a `data:` URL.
  private static func isInside(_ reference: String) -> Bool {
    reference.isEmpty || reference.hasPrefix("#") || reference.prefix(5).lowercased() == "data:"
  }

  /// Decodes CSS escapes: a backslash before hexadecimal digits or before any other character.
  private static func unescaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var rest = Substring(text).unicodeScalars
    while let scalar = rest.popFirst() {
      guard scalar == "\\" else {
        result.append(scalar)
        continue
      }
      let digits = rest.prefix(6).prefix { $0.properties.isASCIIHexDigit }
      if let number = UInt32(String(digits), radix: 16) {
        rest = rest.dropFirst(digits.count)
        if let next = rest.first, next.properties.isWhitespace { rest = rest.dropFirst() }
        result.append(Unicode.Scalar(number) ?? "\u{FFFD}")
      } else if let next = rest.popFirst() {
        result.append(next)
      }
    }
    return String(result)
  }

  private static func localName(_ name: String) -> String {
    (name.split(separator: ":").last.map(String.init) ?? name).lowercased()
  }

  private static func encodingRefusal(_ what: String) -> RenderError {
    RenderError(
      code: .externalReference, stage: .decode,
      message: "the SVG has \(what), which can't be checked for references; save it as UTF-8")
  }

  private static func refusal(_ what: String) -> RenderError {
    RenderError(
      code: .externalReference, stage: .decode,
      message:
        "the SVG has an external reference (\(what.prefix(60))), which is never fetched; embed it as a data: URL"
    )
  }
}

extension String {
  fileprivate var trimmed: String {
    var rest = Substring(self)
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return String(rest.drop(while: \.isWhitespace))
  }
}
