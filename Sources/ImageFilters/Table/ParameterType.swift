/// What a filter's parameter may be.
public enum ParameterType: Sendable, Hashable {
  /// A number of a range, in the unit named (`px`, `degrees`, or empty).
  case number(ClosedRange<Double>, unit: String = "")
  /// A whole number of a range.
  case integer(ClosedRange<Int>, unit: String = "")
  /// A time in whole milliseconds of a range, also written with `ms` or `s`.
  case duration(ClosedRange<Int>)
  /// Degrees from -360 to 360; a turn to the left is the turn to the right that ends there.
  case angle
  /// `true` or `false`.
  case boolean
  /// One of the words.
  case choice([String])
  /// Any text that isn't empty.
  case text
  /// A colour.
  case colour
  /// `WxH`, `Wx`, `xH` or `N%`.
  case size
  /// `WxH` or `WxH+X+Y`.
  case area
  /// A gravity.
  case gravity
  /// Pixels or a percentage of the shorter side.
  case length
  /// The name, path or URL of another image.
  case source
  /// Numbers of the count given, separated by blanks, as Core Image's vectors are.
  case vector(Int)

  /// How a manual writes it: `0…1`, `WxH`, `lanczos3|lanczos2`.
  public var summary: String {
    switch self {
    case .number(let range, let unit):
      "\(Number.text(range.lowerBound))…\(Number.text(range.upperBound))" + (unit.isEmpty ? "" : " \(unit)")
    case .integer(let range, let unit):
      "\(range.lowerBound)…\(range.upperBound), whole" + (unit.isEmpty ? "" : ", \(unit)")
    case .duration(let range): "\(range.lowerBound)…\(range.upperBound) ms, or with a unit as 400ms, 0.4s"
    case .angle: "-360…360 degrees"
    case .boolean: "true|false"
    case .choice(let words): words.joined(separator: "|")
    case .text: "text"
    case .colour: "a colour: a CSS name, #rgb, #rgba, #rrggbb or #rrggbbaa"
    case .size: "WxH, Wx, xH or N%, each side 1…65535"
    case .area: "WxH or WxH+X+Y"
    case .gravity: Gravity.names.joined(separator: "|") + " or a focal point as 0.3x0.7"
    case .length: "pixels, or N% of the shorter side"
    case .source: "a named source, a path or a URL"
    case .vector(let count): "\(count) numbers separated by blanks"
    }
  }

  /// The words that it may be, for "did you mean".
  var words: [String] {
    switch self {
    case .choice(let words): words
    case .gravity: Gravity.names
    case .colour: Array(ColourNames.values.keys)
    default: []
    }
  }

  /// The value that `text` is; nil where it is none of this type.
  func value(of text: String) -> ParameterValue? {
    switch self {
    case .number(let range, _):
      guard let number = Number.parse(text), range.contains(number) else { return nil }
      return .number(number)
    case .integer(let range, _):
      guard let number = Number.parse(text), number == number.rounded(),
        let whole = Int(exactly: number), range.contains(whole)
      else { return nil }
      return .integer(whole)
    case .duration(let range):
      let (number, factor): (Substring, Double) =
        text.hasSuffix("ms")
        ? (text.dropLast(2), 1) : text.hasSuffix("s") ? (text.dropLast(), 1000) : (text[...], 1)
      guard let time = Number.parse(String(number)),
        let whole = Int(exactly: (time * factor).rounded()), range.contains(whole)
      else { return nil }
      return .integer(whole)
    case .angle:
      guard let angle = Number.parse(text), (-360...360).contains(angle) else { return nil }
      let positive = angle < 0 ? angle + 360 : angle
      return .number(positive == 360 ? 0 : positive)
    case .boolean:
      switch text.lowercased() {
      case "true", "yes", "1": return .boolean(true)
      case "false", "no", "0": return .boolean(false)
      default: return nil
      }
    case .choice(let words):
      let word = text.lowercased()
      return words.contains(word) ? .word(word) : nil
    case .text, .source: return text.isEmpty || text.utf8.contains(0) ? nil : .text(text)
    case .colour: return Colour(text).map { .colour($0) }
    case .size: return PixelSize(text).map { .size($0) }
    case .area: return CropArea(text).map { .area($0) }
    case .gravity: return Gravity(text).map { .gravity($0) }
    case .length: return Length(text).map { .length($0) }
    case .vector(let count):
      let numbers = text.split { $0 == " " || $0 == "_" }.map { Number.parse(String($0)) }
      guard numbers.count == count, !numbers.contains(nil) else { return nil }
      return .vector(numbers.compactMap { $0 })
    }
  }
}

/// An argument as a filter takes it.
enum ParameterValue: Hashable, Sendable {
  case number(Double)
  case integer(Int)
  case boolean(Bool)
  case word(String)
  case text(String)
  case colour(Colour)
  case size(PixelSize)
  case area(CropArea)
  case gravity(Gravity)
  case length(Length)
  case vector([Double])

  /// As the grammar writes it, special characters escaped.
  var identifier: String {
    switch self {
    case .number(let number): Number.text(number)
    case .integer(let number): String(number)
    case .boolean(let flag): flag ? "true" : "false"
    case .word(let word): word
    case .text(let text): Escaping.escaped(text)
    case .colour(let colour): colour.identifier
    case .size(let size): size.identifier
    case .area(let area): area.identifier
    case .gravity(let gravity): gravity.identifier
    case .length(let length): length.identifier
    case .vector(let numbers): numbers.map(Number.text).joined(separator: "_")
    }
  }
}
