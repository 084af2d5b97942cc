extension String {
  /// Replaces scalars by their escapes.
  ///
  /// It works on scalars because a quote followed by a combining mark is a different `Character`, but a parser still
  /// reads it as a quote.
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
