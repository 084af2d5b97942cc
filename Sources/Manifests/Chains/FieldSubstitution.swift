import ImageFilters

/// Puts values in the place of `{name}`: the names of a matrix and a job's variables in an output's settings.
/// `{{` and `}}` are braces.
struct FieldSubstitution {
  /// Written by the manifest's author: put in as they are, so that `{shape}` can be a whole filter.
  var matrix: [String: String]
  /// Data, maybe of another's making: put in a chain with its special characters escaped, so that a title with a
  /// comma is a title.
  var variables: [String: String]

  struct Failure: Error {
    var message: String
    /// In UTF-8 bytes from the text's start.
    var offset: Int
  }

  var names: [String] { matrix.keys.sorted() + variables.keys.sorted().filter { matrix[$0] == nil } }

  /// `text` with its fields filled in. `inChain` escapes data for the chain grammar.
  func applied(to text: String, inChain: Bool = false) throws(Failure) -> String {
    let bytes = Array(text.utf8)
    guard bytes.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) else { return text }
    var result: [UInt8] = []
    var position = 0
    while position < bytes.count {
      let byte = bytes[position]
      let isDoubled = position + 1 < bytes.count && bytes[position + 1] == byte
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}"), isDoubled {
        result.append(byte)
        position += 2
      } else if byte == UInt8(ascii: "}") {
        throw Failure(message: "a '}' without its '{'; write '}}' for a brace", offset: position)
      } else if byte == UInt8(ascii: "{") {
        guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "}")) else {
          throw Failure(message: "a '{' without its '}'; write '{{' for a brace", offset: position)
        }
        let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
        result += try value(of: name, inChain: inChain, at: position).utf8
        position = end + 1
      } else {
        result.append(byte)
        position += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private func value(of name: String, inChain: Bool, at offset: Int) throws(Failure) -> String {
    if let value = matrix[name] { return value }
    if let value = variables[name] { return inChain ? Self.escaped(value) : value }
    let hint =
      names.isEmpty
      ? ": define it in 'variables' or 'matrix', or write '{{\(name)}}'" : NearestName.hint(name, in: names)
    throw Failure(message: "nothing defines '{\(name)}' here\(hint)", offset: offset)
  }

  private static func escaped(_ value: String) -> String {
    value.reduce(into: "") { result, character in
      switch character {
      case "%": result += "%25"
      case ",": result += "%2C"
      case ":": result += "%3A"
      case "=": result += "%3D"
      default: result.append(character)
      }
    }
  }
}
