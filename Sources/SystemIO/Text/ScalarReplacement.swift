extension String {
  /// The text with each occurrence of a scalar replaced. The standard library's `replacing(_:with:)` compares
  /// `Character`s, and so passes over a scalar with a combining mark behind it.
  package func replacing(scalar: Unicode.Scalar, with replacement: String) -> String {
    unicodeScalars.reduce(into: "") { text, found in
      if found == scalar { text += replacement } else { text.unicodeScalars.append(found) }
    }
  }
}
