import ImageFilters
import TestSupport

/// Writes `Sources/ImageFilters/Typed` from the filter table.
struct TypedFilterWriter {
  /// The types of words, by filter and parameter.
  private let types: [String: String]

  init() {
    var uses: [String: Set<[String]>] = [:]
    for (_, parameter) in Self.choices { uses[parameter.name, default: []].insert(Self.words(parameter)) }
    var counts: [String: Int] = [:]
    for (_, parameter) in Self.choices { counts[parameter.name, default: 0] += 1 }
    types = Dictionary(
      Self.choices.map { filter, parameter in
        let name = GeneratedSwift.capitalized(GeneratedSwift.identifier(parameter.name))
        let isShared = uses[parameter.name]?.count == 1 && counts[parameter.name] ?? 0 > 1
        let owner = GeneratedSwift.capitalized(GeneratedSwift.identifier(filter.name))
        return ("\(filter.name) \(parameter.name)", isShared ? name : owner + name)
      }, uniquingKeysWith: { first, _ in first })
  }

  private static var choices: [(FilterDefinition, FilterParameter)] {
    FilterTable.all.flatMap { filter in
      filter.parameters.filter { !words($0).isEmpty }.map { (filter, $0) }
    }
  }

  private static func words(_ parameter: FilterParameter) -> [String] {
    if case .choice(let words) = parameter.type { words } else { [] }
  }

  /// A file for each category, and one for the types of words.
  var files: [GeneratedFile] {
    FilterDefinition.Category.allCases.map { category in
      let words = category.rawValue.split(separator: " ").map { GeneratedSwift.capitalized(String($0)) }
      return file(words.joined(), filters(of: category))
    } + [file("Words", words)]
  }

  private func file(_ name: String, _ lines: [String]) -> GeneratedFile {
    GeneratedFile(
      "Sources/ImageFilters/Typed/Typed\(name).swift",
      lines: ["// swift-format-ignore-file", "// Generated from FilterTable by `make generated`.", ""] + lines
    )
  }

  private func filters(of category: FilterDefinition.Category) -> [String] {
    var lines = [
      "/// Every filter as a typed value, which is a chain of one filter. An argument that is out of range fails when the",
      "/// filter is applied, and in ``FilterChain/check()``.",
      "extension ImageFilter where Self == FilterChain {",
    ]
    for filter in FilterTable.all where filter.category == category { lines += declarations(filter) }
    if lines.last == "" { lines.removeLast() }
    return lines + ["}"]
  }

  private var words: [String] {
    var lines = ["extension FilterChain {"]
    var seen: Set<String> = []
    for (filter, parameter) in Self.choices {
      guard let type = types["\(filter.name) \(parameter.name)"], seen.insert(type).inserted else { continue }
      lines += GeneratedSwift.enumeration(
        type, of: Self.words(parameter), summary: sentence(parameter.summary))
      lines.append("")
    }
    if lines.last == "" { lines.removeLast() }
    return lines + ["}"]
  }

  // MARK: Functions

  private func declarations(_ filter: FilterDefinition) -> [String] {
    let name = GeneratedSwift.identifier(filter.name)
    guard let first = filter.parameters.first else {
      return [
        "  /// `\(filter.name)`: \(filter.summary).",
        "  public static var \(name): FilterChain { FilterChain(typed: \"\(filter.name)\") }", "",
      ]
    }
    guard first.type == .size else { return function(name, filter, filter.parameters[...], leading: []) }
    let others = filter.parameters.dropFirst()
    let sides: [(parameters: [Leading], value: String)] = [
      (
        [
          Leading("width: Int", "width", "target width in pixels, 1…65535"),
          Leading("height: Int", "height", "target height in pixels, 1…65535"),
        ], ".exact(width: width, height: height)"
      ),
      (
        [Leading("width: Int", "width", "target width in pixels; the height follows from the aspect ratio")],
        ".width(width)"
      ),
      (
        [
          Leading("height: Int", "height", "target height in pixels; the width follows from the aspect ratio")
        ],
        ".height(height)"
      ),
      ([Leading("_ size: SizeSpecification", "size", "target size")], "size"),
    ]
    return sides.flatMap { side in
      function(name, filter, others, leading: side.parameters, size: "(\"size\", .size(\(side.value)))")
    }
  }

  private struct Leading {
    let declaration: String
    let name: String
    let summary: String

    init(_ declaration: String, _ name: String, _ summary: String) {
      (self.declaration, self.name, self.summary) = (declaration, name, summary)
    }
  }

  private func function(
    _ name: String, _ filter: FilterDefinition, _ parameters: ArraySlice<FilterParameter>, leading: [Leading],
    size: String? = nil
  ) -> [String] {
    var declarations = leading.map(\.declaration)
    var notes = leading.map { "  ///   - \($0.name): \(sentence($0.summary))" }
    var values = size.map { [$0] } ?? []
    let required = filter.parameters.filter(\.isRequired).count
    for parameter in parameters {
      let label = GeneratedSwift.identifier(parameter.name)
      let isFirst = leading.isEmpty && parameter.name == parameters.first?.name
      let isUnlabeled = isFirst && parameter.isRequired && required == 1 && !["from", "top"].contains(label)
      let type = type(of: parameter, in: filter)
      var declaration = (isUnlabeled ? "_ " : "") + "\(label): \(type)"
      if let text = parameter.defaultText {
        declaration += " = \(literal(text, parameter.type))"
      } else if !parameter.isRequired {
        declaration += "? = nil"
      }
      declarations.append(declaration)
      notes.append("  ///   - \(label): \(sentence(parameter.summary))\(range(parameter))")
      values.append("(\"\(parameter.name)\", \(value(label, parameter)))")
    }
    return ["  /// `\(filter.name)`: \(filter.summary).", "  /// - Parameters:"] + notes + [
      "  public static func \(name)(", "    \(declarations.joined(separator: ", "))", "  ) -> FilterChain {",
      "    FilterChain(", "      typed: \"\(filter.name)\",", "      [\(values.joined(separator: ", "))])",
      "  }",
      "",
    ]
  }

  private func range(_ parameter: FilterParameter) -> String {
    switch parameter.type {
    case .number, .integer, .duration, .angle: " Range: \(parameter.type.summary)."
    case .vector(let count): " \(count) numbers."
    default: ""
    }
  }

  private func sentence(_ text: String) -> String {
    GeneratedSwift.capitalized(text) + (text.hasSuffix(".") ? "" : ".")
  }

  private func type(of parameter: FilterParameter, in filter: FilterDefinition) -> String {
    switch parameter.type {
    case .number, .angle: "Double"
    case .integer: "Int"
    case .duration: "Duration"
    case .boolean: "Bool"
    case .choice: "FilterChain." + (types["\(filter.name) \(parameter.name)"] ?? "")
    case .text, .source: "String"
    case .color: "Color"
    case .size: "SizeSpecification"
    case .area: "CropArea"
    case .gravity: "Gravity"
    case .length: "Length"
    case .percentage: "Double"
    case .vector: "[Double]"
    }
  }

  private func value(_ name: String, _ parameter: FilterParameter) -> String {
    let (kind, member): (String, String) =
      switch parameter.type {
      case .number, .angle: ("number", "")
      case .integer: ("integer", "")
      case .duration: ("duration", "")
      case .boolean: ("boolean", "")
      case .choice: ("word", ".rawValue")
      case .text, .source: ("text", "")
      case .color: ("color", "")
      case .size: ("size", "")
      case .area: ("area", "")
      case .gravity: ("gravity", "")
      case .length: ("length", "")
      case .percentage: ("percentage", "")
      case .vector: ("vector", "")
      }
    let isOptional = parameter.defaultText == nil && !parameter.isRequired
    return isOptional ? "\(name).map { .\(kind)($0\(member)) }" : ".\(kind)(\(name)\(member))"
  }

  private func literal(_ text: String, _ type: ParameterType) -> String {
    switch type {
    case .number, .integer, .angle, .boolean: text
    case .duration: ".milliseconds(\(text.dropLast("ms".count)))"
    case .choice: "." + GeneratedSwift.caseName(text)
    case .text, .source: "\"\(text)\""
    case .color:
      if ["white", "black", "transparent"].contains(text) {
        ".\(text)"
      } else if let color = Color(text) {
        "Color(red: \(color.red), green: \(color.green), blue: \(color.blue), alpha: \(color.alpha))"
      } else {
        "no color: \(text)"
      }
    case .gravity: "." + GeneratedSwift.caseName(text)
    case .length: text.hasSuffix("%") ? ".percent(\(text.dropLast()))" : text
    case .percentage: String(text.dropLast())
    case .vector: "[\(text.split(separator: " ").joined(separator: ", "))]"
    case .size, .area: "\"\(text)\""
    }
  }
}
