import SystemIO

/// A parsed text with `{name}` fields. `{{` and `}}` are literal braces.
struct FieldText: Sendable, Hashable {
  enum Segment: Sendable, Hashable {
    case literal(String)
    /// A field. `offset` is the position of its opening brace, in UTF-8 bytes.
    case field(name: String, offset: Int)
  }

  let segments: [Segment]

  struct Failure: Error {
    var message: String
    /// The position of the mistake, in UTF-8 bytes.
    var offset: Int
  }

  init(parsing text: String) throws(Failure) {
    let bytes = Array(text.utf8)
    guard bytes.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) else {
      segments = text.isEmpty ? [] : [.literal(text)]
      return
    }
    var found: [Segment] = []
    var literal: [UInt8] = []
    func endLiteral() {
      if !literal.isEmpty { found.append(.literal(String(decoding: literal, as: UTF8.self))) }
      literal = []
    }
    var position = 0
    while position < bytes.count {
      let byte = bytes[position]
      let isDoubled = position + 1 < bytes.count && bytes[position + 1] == byte
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}"), isDoubled {
        literal.append(byte)
        position += 2
      } else if byte == UInt8(ascii: "}") {
        throw Failure(message: "unmatched '}'; write '}}' for a brace", offset: position)
      } else if byte == UInt8(ascii: "{") {
        guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "}")) else {
          throw Failure(message: "unmatched '{'; write '{{' for a brace", offset: position)
        }
        endLiteral()
        let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
        found.append(.field(name: name, offset: position))
        position = end + 1
      } else {
        literal.append(byte)
        position += 1
      }
    }
    endLiteral()
    segments = found
  }

  init(_ segments: [Segment]) { self.segments = segments }

  var fields: [(name: String, offset: Int)] {
    segments.compactMap { if case .field(let name, let offset) = $0 { (name, offset) } else { nil } }
  }

  /// The text; nil if it has fields.
  var literal: String? {
    var result = ""
    for segment in segments {
      guard case .literal(let text) = segment else { return nil }
      result += text
    }
    return result
  }

  /// `literal` with its braces escaped.
  static func braced(_ literal: String) -> String {
    literal.replacing(scalar: "{", with: "{{").replacing(scalar: "}", with: "}}")
  }

  /// The parts between commas, except commas in a field's name.
  var filters: [FieldText] {
    var result: [[Segment]] = [[]]
    for segment in segments {
      guard case .literal(let text) = segment else {
        result[result.count - 1].append(segment)
        continue
      }
      // Bytes, as in the chain parser: with `Character`, a combining accent would hide a comma.
      let pieces = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      for (index, piece) in pieces.enumerated() {
        if index > 0 { result.append([]) }
        if !piece.isEmpty { result[result.count - 1].append(.literal(String(Substring(piece)))) }
      }
    }
    return result.map(FieldText.init)
  }
}
