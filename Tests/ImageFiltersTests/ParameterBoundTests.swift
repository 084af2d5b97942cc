import Testing

@testable import ImageFilters

/// The whole table: each parameter of each filter at its bounds and beyond them.
@Suite("Parameters at their bounds", .timeLimit(.minutes(8)))
struct ParameterBoundTests {
  static let definitions = FilterTable.all.map(\.name)

  /// A value that the type takes, as the grammar writes it.
  static func sample(_ type: ParameterType) -> String {
    switch type {
    case .number(let range, _): Number.text(range.lowerBound)
    case .integer(let range, _): "\(range.lowerBound)"
    case .duration(let range): "\(range.upperBound)ms"
    case .angle: "45"
    case .boolean: "true"
    case .choice(let words): words.last ?? ""
    case .text, .source: "words"
    case .color: "#12345678"
    case .size: "30x20"
    case .area: "5x6+1+2"
    case .gravity: "southwest"
    case .length: "7"
    case .percentage(let range): "\(Number.text(range.upperBound))%"
    case .vector(let count): Array(repeating: "0.5", count: count).joined(separator: "_")
    }
  }

  /// What must be given, so that a chain of one other argument is whole; without `name`.
  private func needed(_ definition: FilterDefinition, without name: String) -> [(key: String?, value: String)]
  {
    var needed = definition.parameters.filter { $0.isRequired && $0.name != name }
    if !definition.needsOneOf.isEmpty, !definition.needsOneOf.contains(name) {
      needed += definition.parameters.filter { $0.name == definition.needsOneOf[0] }
    }
    return needed.map { ($0.name, Self.sample($0.type)) }
  }

  private func chain(_ definition: FilterDefinition, _ key: String, _ value: String) throws(FilterError)
    -> FilterChain
  {
    try FilterChain(name: definition.name, arguments: [(key, value)] + needed(definition, without: key))
  }

  private func refusal(_ definition: FilterDefinition, _ key: String, _ value: String) -> FilterError? {
    do throws(FilterError) {
      _ = try chain(definition, key, value)
      return nil
    } catch { return error }
  }

  @Test("the least and the most are taken, and what is next to them isn't", arguments: definitions)
  func bounds(name: String) throws {
    let definition = try #require(FilterTable.definition(named: name))
    for parameter in definition.parameters {
      let (inside, outside): ([String], [String]) =
        switch parameter.type {
        case .number(let range, _):
          (
            ["\(range.lowerBound)", "\(range.upperBound)", "\((range.lowerBound + range.upperBound) / 2)"],
            ["\(range.lowerBound.nextDown)", "\(range.upperBound.nextUp)", "1e308", "-1e308"]
          )
        case .duration(let range):
          (
            ["\(range.lowerBound)ms", "\(range.upperBound)ms", "1s"],
            ["\(range.lowerBound - 1)ms", "\(range.upperBound + 1)ms", "\(range.upperBound)"]
          )
        case .percentage(let range):
          (
            ["\(range.lowerBound)%", "\(range.upperBound)%"],
            ["\(range.lowerBound.nextDown)%", "\(range.upperBound.nextUp)%", "\(range.upperBound)"]
          )
        case .integer(let range, _):
          (
            ["\(range.lowerBound)", "\(range.upperBound)"],
            ["\(range.lowerBound - 1)", "\(range.upperBound + 1)"]
          )
        case .angle: (["-360", "360", "0"], ["-360.1", "360.1"])
        case .size: (["1x1", "65535x65535", "1x", "x1", "10000%"], ["0x1", "65536x1", "0%", "10001%"])
        case .length: (["0", "65535", "0%", "65535%"], ["-1", "65536", "-1%"])
        default: ([Self.sample(parameter.type)], [])
        }
      for value in inside {
        #expect(refusal(definition, parameter.name, value) == nil, "\(name) \(parameter.name)=\(value)")
      }
      for value in outside {
        let error = refusal(definition, parameter.name, value)
        #expect(error?.code == .badArgument, "\(name) \(parameter.name)=\(value)")
        // The mistake is the first of the arguments.
        #expect(error?.offset == 0 && error?.message.contains(parameter.name) == true)
      }
    }
  }

  @Test("a value of another kind is refused, and what it should be is said", arguments: definitions)
  func kinds(name: String) throws {
    let definition = try #require(FilterTable.definition(named: name))
    for parameter in definition.parameters {
      let other =
        switch parameter.type {
        case .text, .source: ""
        case .number, .integer, .duration, .angle, .length, .percentage, .vector: "wide"
        case .boolean, .choice, .color, .gravity: "12.5.1"
        case .size, .area: "large"
        }
      let error = refusal(definition, parameter.name, other)
      #expect(error?.code == .badArgument, "\(name) \(parameter.name)")
      #expect(error?.message.contains(parameter.type.summary) == true, "\(error?.message ?? "")")
    }
  }

  @Test("a default is what it would be if it were written", arguments: definitions)
  func defaults(name: String) throws {
    let definition = try #require(FilterTable.definition(named: name))
    let plain = try FilterChain(name: name, arguments: needed(definition, without: ""))
    for parameter in definition.parameters {
      guard let text = parameter.defaultText else { continue }
      #expect(!parameter.isRequired)
      #expect(try chain(definition, parameter.name, text) == plain, "\(name) \(parameter.name)")
    }
  }

  @Test("two values of a parameter make two identifiers", arguments: definitions)
  func distinct(name: String) throws {
    let definition = try #require(FilterTable.definition(named: name))
    for parameter in definition.parameters {
      let values =
        switch parameter.type {
        case .number(let range, _):
          [
            Number.text(range.lowerBound), Number.text(range.upperBound),
            Number.text((range.lowerBound * 3 + range.upperBound) / 4),
          ]
        case .integer(let range, _):
          ["\(range.lowerBound)", "\(range.lowerBound + 1)", "\(range.upperBound)"]
        case .duration: ["1ms", "2s", "59999ms"]
        case .angle: ["0", "1", "-1", "359.5"]
        case .boolean: ["true", "false"]
        case .choice(let words): words
        case .text, .source: ["a", "A", "a ", "a%2C", "a,"]
        case .color: ["red", "#ff0001", "#ff000080", "transparent"]
        case .size: ["30x20", "20x30", "30x", "x30", "30%"]
        case .area: ["5x6", "5x6+0+0", "5x6+0-1", "6x5"]
        case .gravity: Gravity.names + ["0.5x0.5", "0.5x0.25"]
        case .length: ["7", "7%", "7.5", "70"]
        case .percentage: ["7%", "7.5%", "70%"]
        case .vector(let count):
          [
            Array(repeating: "1", count: count).joined(separator: " "),
            Array(repeating: "2", count: count).joined(separator: " "),
          ]
        }
      let identifiers = try values.map { try chain(definition, parameter.name, $0).identifier }
      #expect(Set(identifiers).count == values.count, "\(name) \(parameter.name): \(identifiers)")
    }
  }

  @Test("keys may be in any order and in any letter case, and none twice", arguments: definitions)
  func order(name: String) throws {
    let definition = try #require(FilterTable.definition(named: name))
    let all: [(key: String?, value: String)] = definition.parameters.map { ($0.name, Self.sample($0.type)) }
    let chain = try FilterChain(name: name, arguments: all)
    #expect(try FilterChain(name: name.uppercased(), arguments: all.reversed()) == chain)
    #expect(try FilterChain(name: name, arguments: all.map { ($0.key?.uppercased(), $0.value) }) == chain)
    #expect(try FilterChain(name: name, arguments: all.map { (nil, $0.value) }) == chain, "positional")
    for argument in all {
      let error = #expect(throws: FilterError.self) {
        try FilterChain(name: name, arguments: all + [argument])
      }
      #expect(error?.code == .badArgument && error?.offset == all.count, "\(name) \(argument.key ?? "")")
    }
    let tooMany = #expect(throws: FilterError.self) {
      try FilterChain(name: name, arguments: all.map { (nil, $0.value) } + [(nil, "x")])
    }
    #expect(tooMany?.code == .badArgument && tooMany?.offset == all.count)
  }

  @Test("what is required is asked for by name, and what isn't may be left out", arguments: definitions)
  func required(name: String) throws {
    let definition = try #require(FilterTable.definition(named: name))
    for parameter in definition.parameters where parameter.isRequired {
      let error = #expect(throws: FilterError.self) {
        try FilterChain(name: name, arguments: needed(definition, without: parameter.name))
      }
      #expect(error?.code == .badArgument && error?.message.contains("'\(parameter.displayName)'") == true)
    }
    for key in definition.needsOneOf {
      #expect(throws: Never.self) { try chain(definition, key, "3") }
    }
    if !definition.needsOneOf.isEmpty {
      #expect(throws: FilterError.self) { try FilterChain(name: name, arguments: []) }
    }
  }

  @Test("a key with a slip in it is nearly that of the parameter", arguments: definitions)
  func slips(name: String) throws {
    let definition = try #require(FilterTable.definition(named: name))
    for parameter in definition.parameters where parameter.name.count >= 4 {
      let slip = String(parameter.name.dropLast()) + "q"
      let error = refusal(definition, slip, "1")
      #expect(
        error?.code == .badArgument && error?.message.contains("'\(parameter.displayName)'") == true,
        "\(name) \(slip)")
    }
    #expect(refusal(definition, "zzzzzzzz", "1")?.code == .badArgument)
  }

  @Test("an alias is its filter with its presets, which may be given otherwise", arguments: definitions)
  func aliases(name: String) throws {
    let definition = try #require(FilterTable.definition(named: name))
    for alias in definition.aliases {
      let presets: [(key: String?, value: String)] = alias.presets.map { ($0.key, $0.value) }
      let arguments = needed(definition, without: "")
      let plain = try FilterChain(name: alias.name, arguments: arguments)
      #expect(try plain == FilterChain(name: name, arguments: arguments + presets), "\(alias.name)")
      #expect(FilterTable.definition(named: alias.name.uppercased())?.name == name)
      for (key, value) in alias.presets {
        let parameter = try #require(definition.parameters.first { $0.name == key })
        let other =
          parameter.defaultText.flatMap { $0 == value ? nil : $0 }
          ?? (value == "continuous" ? "circular" : nil)
        guard let other else { continue }
        #expect(
          try FilterChain(name: alias.name, arguments: arguments + [(key, other)]) != plain,
          "\(alias.name) \(key)")
      }
    }
  }
}
