/// Numbers in chains. Each has one text, the shortest that parses back to it, because identifiers contain it.
enum Number {
  /// Parses a finite decimal number with an optional sign, fraction and exponent.
  static func parse(_ text: String) -> Double? {
    // `Double(text)` also accepts hexadecimal, "inf" and "nan".
    guard !text.isEmpty,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || [0x2b, 0x2d, 0x2e, 0x65, 0x45].contains($0) }),
      let value = Double(text), value.isFinite
    else { return nil }
    return value == 0 ? 0 : value
  }

  /// The number as text, without a decimal point if it is whole.
  static func text(_ value: Double) -> String {
    if value == value.rounded(), abs(value) < 1e15 { return String(Int(value)) }
    return "\(value)"
  }
}
