/// Commas in texts, which end a filter unless they are written as %2C.
extension ChainParser {
  /// The longest text that is shown with its commas escaped, in bytes.
  private static let longest = 200

  /// The error of an unknown filter with a hint if it looks like the rest of a text; nil for further parts of the same text, whose
  /// first part has the hint.
  func hinted(_ error: FilterError, at index: Int, of pieces: [Substring]) -> FilterError? {
    // A suggestion, such as "did you mean", is more likely.
    guard error.code == .unknownFilter, error.message == FilterReader.unknown(name(of: pieces[index])),
      let start = pieces[..<index].lastIndex(where: isFilter), takesText(pieces[start])
    else { return error }
    guard start + 1 == index else { return nil }
    let end = pieces[index...].firstIndex(where: isFilter) ?? pieces.endIndex
    let whole = pieces[start..<end].joined(separator: "%2C")
    let example = whole.utf8.count > Self.longest ? "" : ": \(whole)"
    return FilterError(
      error.code, error.message + "; if it belongs to the text, write the comma as %2C\(example)",
      offset: error.offset)
  }

  private func name(of piece: Substring) -> String {
    String(trimmed(self.pieces(of: piece, at: UInt8(ascii: ":"))[0]))
  }

  private func isFilter(_ piece: Substring) -> Bool {
    let name = name(of: piece)
    return FilterTable.entry(named: name) != nil || name.lowercased() == "ci"
      || reader.named.keys.contains { $0.lowercased() == name.lowercased() }
  }

  private func takesText(_ piece: Substring) -> Bool {
    FilterTable.entry(named: name(of: piece))?.0.parameters.contains { $0.type == .text } == true
  }
}
