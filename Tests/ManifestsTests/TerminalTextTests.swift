import TerminalText
import Testing

@Suite("Text on a terminal", .timeLimit(.minutes(8)))
struct TerminalTextTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("猫", 2), ("ｱ", 1), ("Ａ", 2), ("🐈", 2), ("👩‍👩‍👧", 6),
    ("\u{1100}\u{1161}\u{11A8}", 2),
    ("🇨🇭", 2),
    ("❤️", 2), ("한글", 4), ("a\u{200B}b", 2),
  ])
  func `characters take as many columns as terminals give them, those that join nothing too`(
    _ text: String, _ width: Int
  ) {
    #expect(TerminalText.width(text) == width)
  }

  @Test func `an emoji that is taken apart has the width of its parts`() {
    #expect(TerminalText.unjoined("a👩‍👩‍👧👍🏽❤️猫é") == "a👩👩👧👍\u{2764}猫é")
    #expect(TerminalText.width(TerminalText.unjoined("👩‍👩‍👧👍🏽❤️")) == 9)
  }

  @Test func `cutting keeps to the columns, also between wide characters`() {
    #expect(TerminalText.truncated("abcdef", to: 6) == "abcdef")
    #expect(TerminalText.truncated("abcdef", to: 4) == "abc…")
    #expect(TerminalText.truncated("猫猫猫", to: 4) == "猫…")
    #expect(TerminalText.truncated("portrait-of-ada.png", to: 11, inTheMiddle: true) == "portr…a.png")
    for columns in 0...8 {
      #expect(TerminalText.width(TerminalText.truncated("a猫b🐈c", to: columns)) <= columns)
    }
  }

  @Test func `control characters can't move the cursor, color the line or turn it round`() {
    #expect(
      TerminalText.visible("a\u{1B}[31mb\r\u{202E}c\u{9B}") == "a\u{FFFD}[31mb\u{FFFD}\u{FFFD}c\u{FFFD}")
  }
}
