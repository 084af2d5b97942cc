import TestSupport
@testable import ImageFilters

/// Chains that a table's entry allows, written in every way that the grammar allows.
struct RandomChains {
  var generator: SeededRandom

  /// Keeps lengths in pixels short, for chains that are run and not only read.
  let isModest: Bool

  init(seed: UInt64, modest: Bool = false) {
    generator = SeededRandom(seed: seed)
    isModest = modest
  }

  mutating func chain(longest: Int = 4) -> String {
    let count = Int.random(in: 1...longest, using: &generator)
    return (0..<count).map { _ in filter() }.joined(separator: ",")
  }

  mutating func filter() -> String {
    let definition = FilterTable.all[Int.random(in: 0..<FilterTable.all.count, using: &generator)]
    return filter(definition)
  }

  mutating func filter(_ definition: FilterDefinition) -> String {
    let names = [definition.name] + definition.aliases.map(\.name)
    var text = names[Int.random(in: 0..<names.count, using: &generator)]
    if Bool.random(using: &generator) {
      text = Bool.random(using: &generator) ? text.uppercased() : text.lowercased()
    }
    var positional = Bool.random(using: &generator)
    for (index, parameter) in definition.parameters.enumerated() {
      let needsValue = parameter.isRequired || definition.name == "rounded" && index == 0
      guard needsValue || Bool.random(using: &generator) else {
        positional = false
        continue
      }
      let value = Escaping.escaped(value(of: parameter.type))
      text += positional ? ":\(value)" : ":\(parameter.name)=\(value)"
    }
    return text
  }

  private mutating func value(of type: ParameterType) -> String {
    switch type {
    case .number(let range, _):
      return number(in: isModest ? range.clamped(to: -12...12) : range)
    case .integer(let range, _):
      return String(Int.random(in: isModest ? range.clamped(to: -12...12) : range, using: &generator))
    case .duration(let range):
      // A transition has a frame for some milliseconds each.
      let time = Int.random(in: isModest ? range.clamped(to: 1...300) : range, using: &generator)
      return Bool.random(using: &generator) ? "\(time)ms" : "\(Double(time) / 1000)s"
    case .angle: return number(in: -360...360)
    case .boolean: return Bool.random(using: &generator) ? "true" : "FALSE"
    case .choice(let words): return words[Int.random(in: 0..<words.count, using: &generator)]
    case .text, .source:
      let letters = Array("ab,:=% é/\u{301}%2C\"'<&#日")
      return "x"
        + String(
          (0..<Int.random(in: 0...8, using: &generator)).map { _ in
            letters[Int.random(in: 0..<letters.count, using: &generator)]
          })
    case .color:
      let colors = ["red", "transparent", "#abc", "#ABCD", "#12345678", "#0a0b0c", "RebeccaPurple"]
      return colors[Int.random(in: 0..<colors.count, using: &generator)]
    case .size where isModest: return "\(Int.random(in: 1...60, using: &generator))x"
    case .size:
      let (width, height) = (
        Int.random(in: 1...400, using: &generator), Int.random(in: 1...400, using: &generator)
      )
      return ["\(width)x\(height)", "\(width)x", "x\(height)", "\(width)%"][
        Int.random(in: 0..<4, using: &generator)]
    case .area:
      let size = "\(Int.random(in: 1...90, using: &generator))x\(Int.random(in: 1...90, using: &generator))"
      return Bool.random(using: &generator) ? size : size + "+\(Int.random(in: 0...9, using: &generator))-3"
    case .gravity:
      let names = Gravity.names + ["center", "0.25x0.75", "NORTH"]
      return names[Int.random(in: 0..<names.count, using: &generator)]
    case .percentage(let range): return number(in: isModest ? range.clamped(to: 0...200) : range) + "%"
    case .length: return number(in: 0...100) + (Bool.random(using: &generator) ? "%" : "")
    case .vector(let count):
      return (0..<count).map { _ in number(in: -2...2) }.joined(
        separator: Bool.random(using: &generator) ? " " : "_")
    }
  }

  private mutating func number(in range: ClosedRange<Double>) -> String {
    let value = Double.random(in: range, using: &generator)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return "\(value)"
    case 1: return Number.text(min(range.upperBound, max(range.lowerBound, value.rounded())))
    case 2: return "\(range.lowerBound)"
    default: return Number.text(range.upperBound)
    }
  }
}
