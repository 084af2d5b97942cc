import TerminalText

/// A word of a command line, quoted where the shell would change it.
enum ShellWord {
  /// The word as a shell reads it. What a terminal would act on is written as `$'\033'`, which bash, zsh and ksh read.
  static func quoted(_ word: String) -> String {
    if TerminalText.visible(word) != word { return "$'\(word.unicodeScalars.map(escaped).joined())'" }
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-_=+:,./@%".utf8.contains(byte)
      }
    }
    if isPlain, !word.isEmpty { return word }
    return "'\(word.replacing("'", with: "'\\''"))'"
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "'", "\\": return "\\\(scalar)"
    default:
      let text = String(scalar)
      if TerminalText.visible(text) == text { return text }
      return text.utf8.map { byte in
        let digits = String(byte, radix: 8)
        return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      }.joined()
    }
  }
}
