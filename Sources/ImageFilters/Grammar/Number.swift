/// The texts of numbers in chains: shortest form that reads back as the same number, and no two for one.
enum Number {
  /// The number that `text` is: digits with an optional sign, point and exponent, and finite.
  static func parse(_ text: String) -> Double? {
    // Swift also reads hexadecimal, "inf" and "nan", which are no numbers to a person.
    guard !text.isEmpty,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || [0x2b, 0x2d, 0x2e, 0x65, 0x45].contains($0) }),
      let value = Double(text), value.isFinite
    else { return nil }
    return value == 0 ? 0 : value
  }

  /// Without a point where the number is whole.
  static func text(_ value: Double) -> String {
    if value == value.rounded(), abs(value) < 1e15 { return String(Int(value)) }
    return "\(value)"
  }
}
