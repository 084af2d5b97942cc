/// A pattern for paths: `*`, `?` and `[…]` within a name, `{a,b}` for alternatives, and `**` for any number of
/// directories. A backslash escapes the next character.
///
/// Names that begin with a dot match only a pattern with that dot.
struct GlobPattern: Sendable, Hashable {
  enum Component: Sendable, Hashable {
    case anyDirectories
    case name([Token])
  }

  enum Token: Sendable, Hashable {
    case byte(UInt8)
    case anyCharacter
    case anyText
    case oneOf([ClosedRange<UInt32>], isNegated: Bool)
  }

  struct Failure: Error {
    var message: String
  }

  /// The maximum number of patterns that braces expand to.
  static let maximumAlternatives = 100

  /// The literal directory that every match begins with; empty if there is none.
  let root: String
  /// The components after the root, for each alternative of the braces.
  let alternatives: [[Component]]

  /// Whether the text has special characters.
  static func isPattern(_ text: String) -> Bool {
    text.utf8.contains { "*?[{".utf8.contains($0) }
  }

  init(parsing text: String) throws(Failure) {
    var expanded: [[UInt8]] = []
    try Self.expand(Array(text.utf8), into: &expanded)
    let paths = expanded.map { path in
      let names = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true)
      // A leading "." is kept, so that paths begin as the pattern does.
      return names.prefix(1) + names.dropFirst().filter { Array($0) != [UInt8(ascii: ".")] }
    }
    guard let first = paths.first, !paths.contains(where: \.isEmpty) else {
      throw Failure(message: "'\(text)' doesn't name a file")
    }
    // The last component is a file name, even if it is literal, so it isn't part of the root.
    var shared = paths.map { path in path.dropLast().prefix { !Self.isSpecial($0) }.count }.min() ?? 0
    shared = (0..<shared).first { index in paths.contains { $0[index] != first[index] } } ?? shared
    let start = first[..<shared].map { String(decoding: Self.unescaped($0), as: UTF8.self) }
    root = (text.hasPrefix("/") ? "/" : "") + start.joined(separator: "/")
    var alternatives: [[Component]] = []
    for path in paths {
      var components: [Component] = []
      for name in path[shared...] where Array(name) != [UInt8(ascii: ".")] {
        let component = try Self.component(name)
        // `**/**` is the same as `**`.
        if component != .anyDirectories || components.last != .anyDirectories { components.append(component) }
      }
      alternatives.append(components)
    }
    self.alternatives = alternatives
  }

  /// A pattern for every file below a directory.
  init(everythingBelow directory: String) {
    root = directory
    alternatives = [[.anyDirectories]]
  }

  private static func isSpecial(_ name: ArraySlice<UInt8>) -> Bool {
    name.contains { "*?[".utf8.contains($0) }
  }

  private static func unescaped(_ name: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = name
    while let byte = rest.popFirst() {
      result.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
    }
    return result
  }

  // MARK: Braces

  /// Expands the first brace with a comma into its alternatives, recursively.
  private static func expand(_ text: [UInt8], into result: inout [[UInt8]]) throws(Failure) {
    guard let (range, choices) = firstBrace(text) else {
      guard result.count < maximumAlternatives else {
        throw Failure(
          message: "the braces expand to more than \(maximumAlternatives) patterns: split the pattern")
      }
      return result.append(text)
    }
    for choice in choices {
      try expand(text[..<range.lowerBound] + choice + text[range.upperBound...], into: &result)
    }
  }

  private static func firstBrace(_ text: [UInt8]) -> (range: Range<Int>, choices: [[UInt8]])? {
    var depth = 0
    var start = 0
    var commas: [Int] = []
    var position = 0
    while position < text.count {
      switch text[position] {
      case UInt8(ascii: "\\"): position += 1
      case UInt8(ascii: "{"):
        if depth == 0 { (start, commas) = (position, []) }
        depth += 1
      case UInt8(ascii: ",") where depth == 1: commas.append(position)
      case UInt8(ascii: "}") where depth > 0:
        depth -= 1
        if depth == 0, !commas.isEmpty {
          let bounds = [start] + commas + [position]
          return (start..<position + 1, zip(bounds, bounds.dropFirst()).map { Array(text[($0 + 1)..<$1]) })
        }
      default: break
      }
      position += 1
    }
    return nil
  }

  // MARK: Names

  private static func component(_ name: ArraySlice<UInt8>) throws(Failure) -> Component {
    if Array(name) == Array("**".utf8) { return .anyDirectories }
    var tokens: [Token] = []
    var rest = name
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\\"): tokens.append(.byte(rest.popFirst() ?? byte))
      case UInt8(ascii: "?"): tokens.append(.anyCharacter)
      case UInt8(ascii: "*"): if tokens.last != .anyText { tokens.append(.anyText) }
      case UInt8(ascii: "["):
        guard let set = set(&rest) else {
          throw Failure(message: "unmatched '['; write '\\[' for a bracket")
        }
        tokens.append(set)
      default: tokens.append(.byte(byte))
      }
    }
    return .name(tokens)
  }

  /// The set after `[`, up to its `]`; a `]` that comes first is a member.
  private static func set(_ rest: inout ArraySlice<UInt8>) -> Token? {
    guard
      let end = rest.dropFirst(rest.first == UInt8(ascii: "!") || rest.first == UInt8(ascii: "^") ? 2 : 1)
        .firstIndex(of: UInt8(ascii: "]"))
    else { return nil }
    var members = Array(String(decoding: rest[..<end], as: UTF8.self).unicodeScalars)[...]
    rest = rest[(end + 1)...]
    let isNegated = members.first == "!" || members.first == "^"
    if isNegated { members.removeFirst() }
    var ranges: [ClosedRange<UInt32>] = []
    while let first = members.popFirst() {
      if members.count >= 2, members.first == "-" {
        members.removeFirst()
        guard let last = members.popFirst(), first.value <= last.value else { continue }
        ranges.append(first.value...last.value)
      } else {
        ranges.append(first.value...first.value)
      }
    }
    return .oneOf(ranges, isNegated: isNegated)
  }
}

extension [GlobPattern.Token] {
  /// Whether a file name matches.
  func matches(_ name: [UInt8]) -> Bool {
    if name.first == UInt8(ascii: "."), first != .byte(UInt8(ascii: ".")) { return false }
    var (position, token) = (0, 0)
    // The last `*`, and the end of the text that it matches so far.
    var star: (token: Int, position: Int)?
    while position < name.count {
      if token < count, self[token] == .anyText {
        star = (token, position)
        token += 1
      } else if token < count, let length = self[token].length(in: name, at: position) {
        position += length
        token += 1
      } else if let last = star {
        star = (last.token, last.position + 1)
        (token, position) = (last.token + 1, last.position + 1)
      } else {
        return false
      }
    }
    return self[token...].allSatisfy { $0 == .anyText }
  }
}

extension GlobPattern.Token {
  /// The number of bytes that the token matches; nil if it doesn't match.
  fileprivate func length(in name: [UInt8], at position: Int) -> Int? {
    switch self {
    case .byte(let byte): return name[position] == byte ? 1 : nil
    case .anyText: return nil
    case .anyCharacter: return Self.scalar(in: name, at: position).length
    case .oneOf(let ranges, let isNegated):
      let (value, length) = Self.scalar(in: name, at: position)
      return ranges.contains { $0.contains(value) } != isNegated ? length : nil
    }
  }

  /// The scalar at a position; an invalid byte counts as a scalar of its value.
  private static func scalar(in name: [UInt8], at position: Int) -> (value: UInt32, length: Int) {
    let length =
      switch name[position] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    guard position + length <= name.count,
      let scalar = String(validating: name[position..<position + length], as: UTF8.self)?.unicodeScalars.first
    else { return (UInt32(name[position]), 1) }
    return (scalar.value, length)
  }
}
