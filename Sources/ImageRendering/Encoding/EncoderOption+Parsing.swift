extension EncoderOption {
  /// Parses the option's value.
  /// - Throws: `EncodingSettingsError` if `text` is out of the option's range.
  func value(parsing text: String) throws(EncodingSettingsError) -> OptionValue {
    switch kind {
    case .integer(let range, _):
      if let number = Int(text), range.contains(number) { return .integer(number) }
    case .number(let range, _):
      if let number = Double(text), range.contains(number) { return .number(number) }
    case .flag:
      switch text.lowercased() {
      case "true", "yes", "on", "1": return .flag(true)
      case "false", "no", "off", "0": return .flag(false)
      default: break
      }
    case .choice(let words):
      if words.contains(text.lowercased()) { return .choice(text.lowercased()) }
    }
    throw EncodingSettingsError(setting: name, "'\(name)' must be \(valueText), not '\(text)'")
  }
}
