extension String {
  /// The text with scalars replaced by what stands for them.
  ///
  /// By scalars and not by characters: a combining mark makes another character of the quote before it, which
  /// whoever reads the text takes for a quote all the same.
  func escaping(_ codes: [Unicode.Scalar: String]) -> String {
    guard unicodeScalars.contains(where: { codes[$0] != nil }) else { return self }
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if let code = codes[scalar] {
        result.append(contentsOf: code.unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }
}
