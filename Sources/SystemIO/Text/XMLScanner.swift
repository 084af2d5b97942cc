/// Splits an XML 1.0 document in UTF-8 into tokens and resolves character references. Supports only the five
/// predefined entities.
package struct XMLScanner {
  /// An attribute with its resolved value.
  package struct Attribute {
    package var name: String
    package var value: [UInt8]
  }

  /// The reason that a document isn't well-formed, with its position: `at byte 7: a name is missing`.
  package struct Failure: Error {
    package let message: String
  }

  /// A piece of a document.
  package enum Token {
    /// `<?xml …?>`.
    case declaration(encoding: String?)
    /// `<?target …?>`.
    case instruction(target: String)
    case documentType(hasEntities: Bool)
    case comment
    case start(name: String, attributes: [Attribute], isEmpty: Bool)
    case end(name: String)
    /// Text, or a CDATA section.
    case text([UInt8])
  }

  private let bytes: [UInt8]
  private var place: Int

  /// Creates a scanner at the beginning of a document.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    place = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// The error for a document that isn't well-formed, with the current position.
  package func failure(_ what: String) -> Failure {
    Failure(message: "at byte \(place): \(what)")
  }

  /// The next token; nil at the end.
  package mutating func next() throws(Failure) -> Token? {
    guard place < bytes.count else { return nil }
    guard bytes[place] == UInt8(ascii: "<") else {
      return .text(try text(until: { $0 == UInt8(ascii: "<") }))
    }
    if skip("<!--") {
      _ = try until("-->")
      return .comment
    }
    if skip("<![CDATA[") { return .text(Array(try until("]]>"))) }
    if skip("<!DOCTYPE") { return .documentType(hasEntities: try skipDocumentType()) }
    if skip("<?") { return try instruction() }
    if skip("</") {
      let name = try name()
      skipBlanks()
      guard skip(">") else { throw failure("the end tag of \(name.prefix(40)) isn't closed") }
      return .end(name: name)
    }
    place += 1
    let name = try name()
    var attributes: [Attribute] = []
    while true {
      let hasBlank = skipBlanks()
      if skip("/>") { return .start(name: name, attributes: attributes, isEmpty: true) }
      if skip(">") { return .start(name: name, attributes: attributes, isEmpty: false) }
      guard hasBlank else { throw failure("the tag \(name.prefix(40)) isn't closed") }
      attributes.append(try attribute())
    }
  }

  private mutating func attribute() throws(Failure) -> Attribute {
    let name = try name()
    skipBlanks()
    guard skip("=") else { throw failure("the attribute \(name.prefix(40)) has no value") }
    skipBlanks()
    guard place < bytes.count, let quote = Optional(bytes[place]),
      quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    else { throw failure("the attribute \(name.prefix(40)) isn't quoted") }
    place += 1
    let value = try text(inAttribute: true) { $0 == quote }
    guard place < bytes.count else { throw failure("the attribute \(name.prefix(40)) isn't closed") }
    place += 1
    return Attribute(name: name, value: value)
  }

  /// Reads text up to a byte for which `ends` returns true, or to the end.
  private mutating func text(
    inAttribute: Bool = false, until ends: (UInt8) -> Bool
  ) throws(Failure) -> [UInt8] {
    var result: [UInt8] = []
    while place < bytes.count, !ends(bytes[place]) {
      let byte = bytes[place]
      switch byte {
      case UInt8(ascii: "&"): result += try reference()
      case UInt8(ascii: "<"): throw failure("'<' in an attribute")
      case _ where inAttribute && [0x09, 0x0A, 0x0D].contains(byte):
        result.append(0x20)
        place += 1
      default:
        result.append(byte)
        place += 1
      }
    }
    return result
  }

  /// Resolves the reference `&…;` at the position, and returns the character's UTF-8 bytes.
  private mutating func reference() throws(Failure) -> [UInt8] {
    let end = bytes[place...].prefix(16).firstIndex(of: UInt8(ascii: ";"))
    guard let end else { throw failure("'&' doesn't begin an entity") }
    let name = String(decoding: bytes[(place + 1)..<end], as: UTF8.self)
    let scalar: Unicode.Scalar? =
      switch name {
      case "lt": "<"
      case "gt": ">"
      case "amp": "&"
      case "apos": "'"
      case "quot": "\""
      case _ where name.hasPrefix("#x"): UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
      case _ where name.hasPrefix("#"): UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
      default: nil
      }
    guard let scalar, scalar.value >= 0x20 || [9, 10, 13].contains(scalar.value) else {
      throw failure("unknown entity &\(name);")
    }
    place = end + 1
    return Array(String(scalar).utf8)
  }

  /// Reads an instruction after its `<?`.
  private mutating func instruction() throws(Failure) -> Token {
    let target = try name()
    let rest = String(decoding: try until("?>"), as: UTF8.self)
    guard target == "xml" else { return .instruction(target: target) }
    guard let match = rest.firstMatch(of: #/encoding\s*=\s*(?:"([^"]*)"|'([^']*)')/#) else {
      guard !rest.contains("encoding") else { throw failure("the encoding declaration is invalid") }
      return .declaration(encoding: nil)
    }
    return .declaration(encoding: String(match.1 ?? match.2 ?? ""))
  }

  /// Skips a document type after its `<!DOCTYPE`.
  /// - Returns: Whether it declares or uses entities.
  private mutating func skipDocumentType() throws(Failure) -> Bool {
    var hasEntities = false
    var isInside = false
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        let quote = bytes[place]
        guard let end = bytes[(place + 1)...].firstIndex(of: quote) else { throw failure("unmatched quote") }
        place = end + 1
      case UInt8(ascii: "["):
        isInside = true
        place += 1
      case UInt8(ascii: "]"):
        isInside = false
        place += 1
      case UInt8(ascii: ">") where !isInside:
        place += 1
        return hasEntities
      default:
        if skip("<!--") {
          _ = try until("-->")
        } else if skip("<?") {
          _ = try until("?>")
        } else {
          // A percent sign uses a parameter entity.
          hasEntities = hasEntities || isInside && (bytes[place] == UInt8(ascii: "%") || skip("<!ENTITY"))
          place += 1
        }
      }
    }
    throw failure("the document type isn't closed")
  }

  // MARK: Characters

  private mutating func name() throws(Failure) -> String {
    let start = place
    while place < bytes.count, Self.isInName(bytes[place]) { place += 1 }
    guard place > start else { throw failure("a name is missing") }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
      true
    default: "_-.:".utf8.contains(byte)
    }
  }

  /// Skips white space. Returns whether there was any.
  @discardableResult
  private mutating func skipBlanks() -> Bool {
    let start = place
    while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
    return place > start
  }

  /// Skips `word` if it is next. Returns whether it was.
  private mutating func skip(_ word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard bytes.count - place >= length else { return false }
    for index in 0..<length where bytes[place + index] != word.utf8Start[index] { return false }
    place += length
    return true
  }

  /// Returns the bytes before the next `word`, and skips both.
  private mutating func until(_ word: StaticString) throws(Failure) -> ArraySlice<UInt8> {
    let start = place
    while place < bytes.count {
      let end = place
      if skip(word) { return bytes[start..<end] }
      place += 1
    }
    throw failure("\(word) is missing")
  }

  /// Escapes text for an element or a quoted attribute.
  package static func escaped(_ text: [UInt8], inAttribute: Bool) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    for byte in text {
      switch byte {
      case UInt8(ascii: "&"): result += Array("&amp;".utf8)
      case UInt8(ascii: "<"): result += Array("&lt;".utf8)
      case UInt8(ascii: ">"): result += Array("&gt;".utf8)
      case UInt8(ascii: "\"") where inAttribute: result += Array("&quot;".utf8)
      case 0x0D: result += Array("&#13;".utf8)
      case _ where inAttribute && (byte == 0x09 || byte == 0x0A): result += Array("&#\(byte);".utf8)
      default: result.append(byte)
      }
    }
    return result
  }
}
