/// The type of a filter's parameter.
public enum ParameterType: Sendable, Hashable {
  /// A number in a range; `unit` is for display (`px`, `EV`, or empty).
  case number(ClosedRange<Double>, unit: String = "")
  /// An integer in a range; `unit` is for display.
  case integer(ClosedRange<Int>, unit: String = "")
  /// A duration in a range of milliseconds, written with its unit, `ms` or `s`.
  case duration(ClosedRange<Int>)
  /// Degrees from -360 to 360, normalized to 0 up to 360, so that equal rotations have the same identifier.
  case angle
  /// `true` or `false`; also `yes`, `no`, `1` and `0`.
  case boolean
  /// One of a list of words.
  case choice([String])
  /// Any text that isn't empty and has no NUL.
  case text
  /// A ``Color``: a CSS name, `#rgb`, `#rgba`, `#rrggbb` or `#rrggbbaa`.
  case color
  /// A ``SizeSpecification``: `WxH`, `Wx`, `xH` or `N%`.
  case size
  /// A ``CropArea``: `WxH` or `WxH+X+Y`.
  case area
  /// A ``Gravity``: a place, `attention`, `entropy` or a focal point.
  case gravity
  /// A ``Length``: pixels, or `N%` of the shorter side.
  case length
  /// A share in a range of percent, written `N%`.
  case percentage(ClosedRange<Double>)
  /// The name, path or URL of another image.
  case source
  /// A fixed count of numbers, separated by spaces or `_`, like Core Image's vectors.
  case vector(Int)

  /// The valid values as manuals write them: `0…1`, `WxH`, `lanczos3|lanczos2`.
  public var summary: String {
    switch self {
    case .number(let range, let unit):
      "\(Number.text(range.lowerBound))…\(Number.text(range.upperBound))" + (unit.isEmpty ? "" : " \(unit)")
    case .integer(let range, let unit):
      "\(range.lowerBound)…\(range.upperBound)" + (unit.isEmpty ? "" : " \(unit)") + ", a whole number"
    case .duration(let range):
      "\(range.lowerBound)ms…\(range.upperBound)ms, with its unit, such as 400ms or 0.4s"
    case .angle: "-360…360 degrees"
    case .boolean: "true|false"
    case .choice(let words): words.map(Spelling.american).joined(separator: "|")
    case .text: "text"
    case .color: "a CSS color name, #rgb, #rgba, #rrggbb or #rrggbbaa"
    case .size: "WxH, Wx, xH or N%, each side 1…65535"
    case .area: "WxH or WxH+X+Y"
    case .gravity:
      Gravity.names.map(Spelling.american).joined(separator: "|") + " or a focal point such as 0.3x0.7"
    case .length: "pixels, or N% of the shorter side"
    case .percentage(let range): "\(Number.text(range.lowerBound))%…\(Number.text(range.upperBound))%"
    case .source: "a named source, a path or a URL"
    case .vector(let count): "\(count) numbers, separated by spaces or _"
    }
  }

  /// The words that the type accepts, as manuals write them, for suggestions in error messages.
  var words: [String] {
    switch self {
    case .choice(let words): words.map(Spelling.american)
    case .gravity: Gravity.names.map(Spelling.american)
    case .color: Array(ColorNames.values.keys)
    default: []
    }
  }

  /// Parses a value of this type; nil if `text` isn't one.
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
      // A bare number would be seconds in an option, and looks like milliseconds to some.
      guard text.hasSuffix("s") else { return nil }
      let (number, factor) = text.hasSuffix("ms") ? (text.dropLast(2), 1.0) : (text.dropLast(), 1000)
      guard let time = Number.parse(String(number)),
        let whole = Int(exactly: (time * factor).rounded()), range.contains(whole)
      else { return nil }
      return .milliseconds(whole)
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
      if words.contains(text) { return .word(text) }
      let normalized = Spelling.normalized(text)
      return words.first { Spelling.normalized($0) == normalized }.map { .word($0) }
    case .text, .source: return text.isEmpty || text.utf8.contains(0) ? nil : .text(text)
    case .color: return Color(text).map { .color($0) }
    case .size: return SizeSpecification(text).map { .size($0) }
    case .area: return CropArea(text).map { .area($0) }
    case .gravity: return Gravity(text).map { .gravity($0) }
    case .length: return Length(text).map { .length($0) }
    case .percentage(let range):
      guard text.hasSuffix("%"), let share = Number.parse(String(text.dropLast())), range.contains(share)
      else {
        return nil
      }
      return .percentage(share)
    case .vector(let count):
      let numbers = text.split { $0 == " " || $0 == "_" }.map { Number.parse(String($0)) }
      guard numbers.count == count, !numbers.contains(nil) else { return nil }
      return .vector(numbers.compactMap { $0 })
    }
  }
}

/// A parsed argument.
enum ParameterValue: Hashable, Sendable {
  case number(Double)
  case integer(Int)
  case milliseconds(Int)
  case boolean(Bool)
  case word(String)
  case text(String)
  case color(Color)
  case size(SizeSpecification)
  case area(CropArea)
  case gravity(Gravity)
  case length(Length)
  case percentage(Double)
  case vector([Double])

  /// The value in the chain grammar, with reserved characters escaped.
  var identifier: String {
    switch self {
    case .number(let number): Number.text(number)
    case .integer(let number): String(number)
    case .milliseconds(let time): "\(time)ms"
    case .boolean(let flag): flag ? "true" : "false"
    case .word(let word): word
    case .text(let text): Escaping.escaped(text)
    case .color(let color): color.identifier
    case .size(let size): size.identifier
    case .area(let area): area.identifier
    case .gravity(let gravity): gravity.identifier
    case .length(let length): length.identifier
    case .percentage(let share): "\(Number.text(share))%"
    case .vector(let numbers): numbers.map(Number.text).joined(separator: "_")
    }
  }
}
