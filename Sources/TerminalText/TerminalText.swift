/// Measures and cuts text by the terminal columns it takes: one for a letter, two for a Chinese character or an emoji,
/// none for a combining mark.
package enum TerminalText {
  /// The number of columns that `text` takes. Control characters count as 0; see ``visible(_:)``.
  package static func width(_ text: some StringProtocol) -> Int {
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text.utf8.count }
    return text.reduce(0) { $0 + width($1) }
  }

  /// The most columns that a character (a grapheme cluster) takes. A terminal that doesn't join emoji draws each part
  /// of a family, and text wider than expected would wrap.
  package static func width(_ character: Character) -> Int {
    var width = 0
    for scalar in character.unicodeScalars {
      // U+FE0F selects the emoji form of the preceding scalar.
      if scalar.value == 0xFE0F { width = max(width, 2) } else { width += self.width(scalar) }
    }
    return width
  }

  /// Cuts `text` to at most `columns`, with `…` for the omitted part: at the end, or in the middle to keep the end of a
  /// file name visible.
  package static func truncated(_ text: String, to columns: Int, inTheMiddle: Bool = false) -> String {
    guard width(text) > columns else { return text }
    guard columns > 1 else { return columns == 1 ? "…" : "" }
    let room = columns - 1
    let tailRoom = inTheMiddle ? room / 2 : 0
    let head = prefix(of: text, columns: room - tailRoom)
    let tail = String(prefix(of: text.reversed(), columns: tailRoom).reversed())
    return head + "…" + tail
  }

  /// Pads `text` with spaces to `columns`.
  package static func padded(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - width(text)))
  }

  /// Replaces each control character and bidirectional override by `�`, so that a file name can't move the cursor,
  /// color the terminal or reverse the line.
  package static func visible(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isControl = scalar.properties.generalCategory == .control
      let turnsDirection =
        (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
      result.append(isControl || turnsDirection ? "\u{FFFD}" : scalar)
    }
    return String(result)
  }

  /// Removes joiners, skin tones and variation selectors from emoji. Terminals disagree on the width of a joined emoji
  /// but agree on its parts.
  package static func unjoined(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x200D, 0xFE0E, 0xFE0F, 0x1F3FB...0x1F3FF: continue
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  private static func prefix(of text: some Sequence<Character>, columns: Int) -> String {
    var result = ""
    var used = 0
    for character in text {
      used += width(character)
      if used > columns { break }
      result.append(character)
    }
    return result
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return (0x20...0x7E).contains(scalar.value) || scalar.value >= 0xA0 ? 1 : 0 }
    switch scalar.properties.generalCategory {
    case .control, .format, .nonspacingMark, .enclosingMark, .surrogate: return 0
    default: break
    }
    // Hangul vowels and final consonants share the columns of their syllable.
    if (0x1160...0x11FF).contains(scalar.value) { return 0 }
    // Two regional indicators make a flag.
    if (0x1F1E6...0x1F1FF).contains(scalar.value) { return 1 }
    if scalar.properties.isEmojiPresentation { return 2 }
    return wideRanges.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  /// East Asian Width W and F of Unicode 15 (UAX #11), with neighboring ranges joined across unassigned code points.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF,
    0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60,
    0xFFE0...0xFFE6, 0x16FE0...0x18CD5, 0x1AFF0...0x1B2FB, 0x1F200...0x1F265, 0x20000...0x3FFFD,
  ]
}
