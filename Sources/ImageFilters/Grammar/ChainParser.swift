/// Parses the chain grammar, which imagemill-filters(7) documents.
///
///     chain    = filter *( "," filter )
///     filter   = name *( ":" argument )
///     argument = value / key "=" value
struct ChainParser {
  let reader: FilterReader

  func steps(_ text: String) throws(FilterError) -> [FilterStep] {
    try checkSize(of: text)
    if text.utf8.allSatisfy({ $0 == 32 }) { return [] }
    var steps: [FilterStep] = []
    let pieces = pieces(of: text[...], at: UInt8(ascii: ","))
    for (index, piece) in pieces.enumerated() {
      let filter = try self.filter(piece, in: text)
      let added: [FilterStep]
      do throws(FilterError) {
        added = try reader.steps(name: filter.name, arguments: filter.arguments, offset: filter.offset)
      } catch {
        throw hinted(error, at: index, of: pieces) ?? error
      }
      try ChainLimits.check(steps: steps.count + added.count, offset: filter.offset)
      steps += added
    }
    return steps
  }

  /// All mistakes in a chain: each filter is read by itself, so that one mistake doesn't hide another.
  func mistakes(_ text: String) -> [FilterError] {
    do throws(FilterError) {
      try checkSize(of: text)
      if text.utf8.allSatisfy({ $0 == 32 }) { return [] }
      let pieces = pieces(of: text[...], at: UInt8(ascii: ","))
      let found = pieces.enumerated().flatMap { index, piece -> [FilterError] in
        do throws(FilterError) {
          let filter = try self.filter(piece, in: text)
          return reader.mistakes(name: filter.name, arguments: filter.arguments, offset: filter.offset)
            .compactMap { hinted($0, at: index, of: pieces) }
        } catch {
          return [error]
        }
      }
      guard found.isEmpty else { return found }
      // Filters without a mistake may have too many steps together.
      _ = try steps(text)
      return []
    } catch {
      return [error]
    }
  }

  /// Refuses an oversized chain before any filter in it is parsed: commas are counted.
  private func checkSize(of text: String) throws(FilterError) {
    guard text.utf8.count <= ChainLimits.text else {
      throw FilterError(
        .tooLong,
        "the chain's text has \(text.utf8.count) bytes; the limit is \(ChainLimits.text); make it shorter"
      )
    }
    try ChainLimits.check(steps: text.utf8.count { $0 == UInt8(ascii: ",") } + 1)
  }

  /// A filter as written: `fit:800x600:kernel=linear`.
  private struct Filter {
    var name: String
    var arguments: [FilterReader.Argument]
    /// The name's position in the chain's text, in UTF-8 bytes.
    var offset: Int
  }

  private func filter(_ piece: Substring, in text: String) throws(FilterError) -> Filter {
    var parts = pieces(of: piece, at: UInt8(ascii: ":"))
    let first = parts.removeFirst()
    let name = trimmed(first)
    let offset = self.offset(of: name.startIndex, in: text)
    guard !name.isEmpty else {
      throw FilterError(
        .syntax, "a filter's name is missing; separate filters with one comma", offset: offset)
    }
    guard !name.utf8.contains(UInt8(ascii: "=")) else {
      throw FilterError(
        .syntax, "'\(name)' is not a filter name; arguments follow the name after ':'", offset: offset)
    }
    var arguments: [FilterReader.Argument] = []
    for part in parts {
      let place = self.offset(of: part.startIndex, in: text)
      if let equals = part.utf8.firstIndex(of: UInt8(ascii: "=")) {
        let key = trimmed(part[..<equals])
        guard !key.isEmpty else {
          throw FilterError(
            .syntax, "a key is missing before '='; write %3D for the character itself", offset: place)
        }
        let value = part[part.utf8.index(after: equals)...]
        guard !value.utf8.contains(UInt8(ascii: "=")) else {
          throw FilterError(
            .syntax, "'\(part)' has two '='; write %3D for the character itself", offset: place)
        }
        arguments.append(
          FilterReader.Argument(key: String(key), value: Escaping.unescaped(value), offset: place))
      } else {
        arguments.append(FilterReader.Argument(key: nil, value: Escaping.unescaped(part), offset: place))
      }
    }
    return Filter(name: String(name), arguments: arguments, offset: offset)
  }

  /// Splits by byte: to `Character`, a separator followed by a combining accent is a different character.
  func pieces(of text: Substring, at separator: UInt8) -> [Substring] {
    text.utf8.split(separator: separator, omittingEmptySubsequences: false).map { Substring($0) }
  }

  /// Strips blanks and line breaks around a name, so that a long chain can span several lines.
  func trimmed(_ text: Substring) -> Substring {
    let isBlank: (UInt8) -> Bool = { $0 == 32 || (9...13).contains($0) }
    let start = text.utf8.drop(while: isBlank)
    guard let end = start.lastIndex(where: { !isBlank($0) }) else { return Substring(start.prefix(0)) }
    return Substring(start[...end])
  }

  private func offset(of index: Substring.Index, in text: String) -> Int {
    text.utf8.distance(from: text.startIndex, to: index)
  }
}
