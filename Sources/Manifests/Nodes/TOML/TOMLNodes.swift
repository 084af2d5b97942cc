/// Reads TOML 1.0 into nodes with places. Dates, which no manifest needs, become strings.
struct TOMLNodes {
  var scanner: TOMLScanner
  private let root = TOMLTable(.header, at: TextPlace(line: 1, column: 1))

  typealias Failure = JSONNodes.Failure

  static let maximumDepth = 64

  /// The keys that are in their table already. Their values are read and left out.
  private var duplicates: [Failure] = []

  /// Reads a document.
  /// - Throws: `Failure` if the text isn't TOML, or has a key twice.
  static func read(_ text: String) throws(Failure) -> ManifestNode {
    let (root, mistakes) = readAll(text)
    guard let root, mistakes.isEmpty else {
      throw mistakes.first ?? Failure(place: TextPlace(line: 1, column: 1), message: "this can't be read")
    }
    return root
  }

  /// Reads a document with its mistakes.
  /// - Returns: The root, without the values of repeated keys; nil if the text isn't TOML. And the repeated keys, and why the
  ///   text isn't TOML.
  static func readAll(_ text: String) -> (root: ManifestNode?, mistakes: [Failure]) {
    var reader = TOMLNodes(scanner: TOMLScanner(text))
    do throws(Failure) {
      let root = try reader.document()
      return (root, reader.duplicates)
    } catch {
      return (nil, reader.duplicates + [error])
    }
  }

  private mutating func document() throws(Failure) -> ManifestNode {
    var current = root
    while true {
      scanner.skipBlankLines()
      guard !scanner.isAtEnd else { return root.node }
      if scanner.peek("[") {
        current = try header()
      } else {
        try pair(into: current, depth: 0)
      }
      try scanner.endLine()
    }
  }

  // MARK: Headers

  private mutating func header() throws(Failure) -> TOMLTable {
    let place = scanner.place
    _ = scanner.take("[")
    let isArray = scanner.take("[")
    scanner.skipSpace()
    let keys = try key()
    guard scanner.take("]"), !isArray || scanner.take("]") else {
      throw scanner.fail("expected '\(isArray ? "]]" : "]")' after the table's name")
    }
    var table = root
    for part in keys.dropLast() { table = descend(from: table, part, making: .implicit) }
    guard let last = keys.last else { throw scanner.fail("expected a name", at: place) }
    return isArray ? append(last, to: table, at: place) : define(last, in: table, at: place)
  }

  private mutating func define(_ key: TOMLKey, in parent: TOMLTable, at place: TextPlace) -> TOMLTable {
    switch parent[key.name] {
    case nil:
      let table = TOMLTable(.header, at: place)
      parent.set(key.name, at: key.place, to: .table(table))
      return table
    case .table(let table) where table.kind == .implicit:
      table.kind = .header
      return table
    case .table(let table) where table.kind == .header:
      note(key, in: parent)
      return table
    default: return duplicate(key, in: parent)
    }
  }

  private mutating func append(_ key: TOMLKey, to parent: TOMLTable, at place: TextPlace) -> TOMLTable {
    let table = TOMLTable(.header, at: place)
    switch parent[key.name] {
    case nil, .tables: parent.append(table, to: key.name, at: key.place)
    default: return duplicate(key, in: parent)
    }
    return table
  }

  private mutating func descend(
    from table: TOMLTable, _ key: TOMLKey, making kind: TOMLTable.Kind
  ) -> TOMLTable {
    switch table[key.name] {
    case nil:
      let made = TOMLTable(kind, at: key.place)
      table.set(key.name, at: key.place, to: .table(made))
      return made
    case .table(let found) where found.kind != .inline && (kind == .implicit || found.kind == .dotted):
      return found
    case .tables(let tables) where kind == .implicit:
      return tables.last ?? duplicate(key, in: table)
    default: return duplicate(key, in: table)
    }
  }

  /// Notes a key that its table has already.
  private mutating func note(_ key: TOMLKey, in table: TOMLTable) {
    duplicates.append(
      Failure(
        place: key.place,
        message: KeyTable.duplicateMessage(key.name, at: key.place, first: table.place(of: key.name))))
  }

  /// Notes the key, and returns a table outside of the document for what follows it.
  private mutating func duplicate(_ key: TOMLKey, in table: TOMLTable) -> TOMLTable {
    note(key, in: table)
    return TOMLTable(.header, at: key.place)
  }

  // MARK: Keys and values

  mutating func pair(into table: TOMLTable, depth: Int) throws(Failure) {
    let keys = try key()
    guard scanner.take("=") else { throw scanner.fail("expected '=' after the key") }
    scanner.skipSpace()
    var target = table
    for part in keys.dropLast() { target = descend(from: target, part, making: .dotted) }
    guard let last = keys.last else { throw scanner.fail("expected a key") }
    let value = try value(depth: depth + keys.count)
    guard target[last.name] == nil else { return note(last, in: target) }
    target.set(last.name, at: last.place, to: .value(value))
  }

  private mutating func key() throws(Failure) -> [TOMLKey] {
    var keys: [TOMLKey] = []
    repeat {
      scanner.skipSpace()
      let place = scanner.place
      let name: String
      if scanner.peek("\"") || scanner.peek("'") {
        name = try scanner.string().text
      } else {
        name = scanner.bareKey()
        if name.isEmpty { throw scanner.fail("expected a key") }
      }
      guard keys.count < Self.maximumDepth else { throw tooDeep(at: place) }
      keys.append(TOMLKey(name: name, place: place))
      scanner.skipSpace()
    } while scanner.take(".")
    return keys
  }

  private func tooDeep(at place: TextPlace) -> Failure {
    scanner.fail("nested more than \(Self.maximumDepth) deep", at: place)
  }

  private mutating func value(depth: Int) throws(Failure) -> ManifestNode {
    guard depth < Self.maximumDepth else { throw tooDeep(at: scanner.place) }
    let place = scanner.place
    if scanner.peek("\"") || scanner.peek("'") {
      let (text, textPlace) = try scanner.string()
      return ManifestNode(.text(text), at: place, textPlace: textPlace)
    }
    if scanner.take("[") { return ManifestNode(.list(try list(depth: depth)), at: place) }
    if scanner.take("{") { return try inlineTable(at: place, depth: depth) }
    let word = scanner.word()
    guard let value = TOMLScalar.value(of: word) else {
      throw scanner.fail(
        word.isEmpty ? "expected a value" : "'\(word)' isn't a TOML value: put strings in quotes", at: place)
    }
    return ManifestNode(value, at: place)
  }

  private mutating func list(depth: Int) throws(Failure) -> [ManifestNode] {
    var nodes: [ManifestNode] = []
    while true {
      scanner.skipBlankLines()
      if scanner.take("]") { return nodes }
      nodes.append(try value(depth: depth + 1))
      scanner.skipBlankLines()
      if scanner.take("]") { return nodes }
      guard scanner.take(",") else { throw scanner.fail("expected ',' or ']' after an array's value") }
    }
  }

  private mutating func inlineTable(at place: TextPlace, depth: Int) throws(Failure) -> ManifestNode {
    let table = TOMLTable(.inline, at: place)
    scanner.skipSpace()
    if scanner.take("}") { return table.node }
    while true {
      scanner.skipSpace()
      try pair(into: table, depth: depth + 1)
      scanner.skipSpace()
      if scanner.take("}") { return table.node }
      guard scanner.take(",") else {
        throw scanner.fail("expected ',' or '}' (an inline table must be on one line)")
      }
      scanner.skipSpace()
      if scanner.peek("}") { throw scanner.fail("extra comma before '}': remove it") }
    }
  }
}

/// One part of a dotted key.
struct TOMLKey {
  var name: String
  var place: TextPlace
}

/// Interprets TOML's bare values.
enum TOMLScalar {
  static func value(of word: String) -> ManifestNode.Value? {
    switch word {
    case "true": return .bool(true)
    case "false": return .bool(false)
    // No value of a manifest is infinite or undefined: where a number is expected, the word is refused in its place.
    case "inf", "+inf", "-inf", "nan", "+nan", "-nan": return .text(word)
    default: break
    }
    if isNumber(word) { return .number(word.filter { $0 != "_" }) }
    return isDate(word) ? .text(word) : nil
  }

  private static func isNumber(_ word: String) -> Bool {
    let isSeparatedWell = !word.hasPrefix("_") && !word.hasSuffix("_") && !word.contains("__")
    let plain = word.filter { $0 != "_" }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where plain.hasPrefix(prefix) {
      return isSeparatedWell && Int(plain.dropFirst(2), radix: radix) != nil
    }
    let body = plain.hasPrefix("-") || plain.hasPrefix("+") ? plain.dropFirst() : plain[...]
    guard isSeparatedWell, let first = body.utf8.first, (48...57).contains(first), let last = body.utf8.last,
      (48...57).contains(last), !body.contains(".e"), !body.contains(".E")
    else { return false }
    let whole = body.prefix { $0.isNumber }
    guard whole.count == 1 || !whole.hasPrefix("0") else { return false }
    return body.utf8.allSatisfy { (48...57).contains($0) || ".eE+-".utf8.contains($0) }
      && Double(plain) != nil
  }

  private static func isDate(_ word: String) -> Bool {
    let isShaped =
      word.count >= 8 && word.allSatisfy { $0.isASCII && ($0.isNumber || "-:.TtZz+ ".contains($0)) }
    return isShaped && word.first?.isNumber == true
      && (word.contains(":") || word.filter { $0 == "-" }.count == 2)
  }
}
