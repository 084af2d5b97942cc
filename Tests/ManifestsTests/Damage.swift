import TestSupport
/// Damages texts as people, editors and transports do; the same seed does the same.
struct Damage {
  private var generator: SeededRandom

  init(seed: UInt64) { generator = SeededRandom(seed: seed) }

  mutating func number(in range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }

  /// One to four things done to `text`: to its lines, its words or its bytes.
  mutating func damaged(_ text: String) -> [UInt8] {
    var text = text
    var bytes: [UInt8]?
    for _ in 0..<number(in: 1...4) {
      switch number(in: 0...3) {
      case 0: text = linesChanged(text)
      case 1: text = wordsChanged(text)
      default: bytes = bytesChanged(bytes ?? Array(text.utf8))
      }
    }
    return bytes ?? Array(text.utf8)
  }

  /// A line removed, doubled, moved, indented, or cut.
  private mutating func linesChanged(_ text: String) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let index = number(in: 0...(lines.count - 1))
    switch number(in: 0...4) {
    case 0: lines.remove(at: index)
    case 1: lines.insert(lines[index], at: number(in: 0...lines.count))
    case 2: lines.swapAt(index, number(in: 0...(lines.count - 1)))
    case 3:
      lines[index] =
        [" ", "\t", "  - ", "\u{A0}"].randomElement(using: &generator).map { $0 + lines[index] } ?? ""
    default: lines[index] = String(lines[index].prefix(number(in: 0...max(0, lines[index].count))))
    }
    return lines.joined(separator: "\n")
  }

  /// A word misspelt, or a value of another kind in its place.
  private mutating func wordsChanged(_ text: String) -> String {
    let words = text.matches(of: #/[A-Za-z0-9-]+/#)
    guard let word = words.randomElement(using: &generator) else { return text }
    let values = [
      "null", "true", "no", "-1", "1e999", "0x10", "99999999999999999999999", "[]", "{}", "\"\"", "{a: 1}",
      "[[[1]]]", "~", "'", "1:30", "\u{202E}", String(repeating: "x", count: 10_000),
    ]
    let other =
      number(in: 0...1) == 0
      ? misspelt(String(text[word.range])) : values.randomElement(using: &generator) ?? ""
    return text[..<word.range.lowerBound] + other + text[word.range.upperBound...]
  }

  /// The word with two letters swapped, one left out, doubled or replaced; never the word itself.
  mutating func misspelt(_ word: String) -> String {
    var letters = Array(word)
    let index = number(in: 0...(letters.count - 1))
    switch number(in: 0...3) {
    case 0 where index > 0 && letters[index] != letters[index - 1]: letters.swapAt(index, index - 1)
    case 1 where letters.count > 2: letters.remove(at: index)
    case 2: letters.insert(letters[index], at: index)
    default: letters[index] = letters[index] == "q" ? "w" : "q"
    }
    return String(letters)
  }

  /// A byte removed, changed, put in, or a run of them removed.
  mutating func bytesChanged(_ original: [UInt8]) -> [UInt8] {
    var bytes = original
    guard !bytes.isEmpty else { return [0x20] }
    let pieces = [
      "*", "&a ", "{", "}", "[", "]", ": ", "? ", "- ", "\"", "'", "\n", "\t", "!", "|", ">", "%", "\0", "é",
      "😀", "=", ",", "\r", "\u{FEFF}", "<<: ", "---\n", "\\u0000",
    ]
    let place = number(in: 0...(bytes.count - 1))
    switch number(in: 0...3) {
    case 0: bytes.remove(at: place)
    case 1:
      bytes.insert(contentsOf: Array(pieces.randomElement(using: &generator)?.utf8 ?? "".utf8), at: place)
    case 2: bytes[place] = .random(in: 0...255, using: &generator)
    default: bytes.removeSubrange(place..<min(bytes.count, place + number(in: 0...40)))
    }
    return bytes.isEmpty ? [0x20] : bytes
  }
}
