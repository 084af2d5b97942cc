/// Turns a filter's name and its written arguments into steps.
struct FilterReader {
  /// An argument as written, with `value` already unescaped.
  struct Argument {
    var key: String?
    var value: String
    /// The argument's position in the chain's text, in UTF-8 bytes.
    var offset: Int?
  }

  let named: [String: FilterChain]

  /// The steps of a filter, an alias or a named chain, with the arguments checked and the defaults filled in.
  func steps(name: String, arguments: [Argument], offset: Int?) throws(FilterError) -> [FilterStep] {
    if let chain = named[name] ?? named.first(where: { $0.key.lowercased() == name.lowercased() })?.value {
      if let argument = arguments.first {
        throw FilterError(
          .badArgument, "the named chain '\(name)' takes no arguments", offset: argument.offset ?? offset)
      }
      return chain.steps
    }
    if name.lowercased() == "ci" { return try coreImageSteps(arguments, offset: offset) }
    guard let (definition, presets) = FilterTable.entry(named: name) else {
      let known = FilterTable.names + named.keys
      throw FilterError(
        .unknownFilter,
        Self.unknown(name)
          + (ForeignNames.hint(forFilter: name) ?? NearestName.suggestion(for: name, among: known)),
        offset: offset)
    }
    let complete = try self.arguments(
      of: definition, written: arguments, presets: presets, offset: offset)
    switch definition.behavior {
    case .frame: return [FilterStep(name: definition.name, arguments: complete)]
    case .chain(let steps): return try steps(complete)
    }
  }

  /// The message for a filter that doesn't exist, without a suggestion.
  static func unknown(_ name: String) -> String { "unknown filter '\(name)'" }

  /// All mistakes of a filter: after each wrong argument, the others are read without it.
  func mistakes(name: String, arguments: [Argument], offset: Int?) -> [FilterError] {
    var rest = arguments
    var found: [FilterError] = []
    while true {
      do throws(FilterError) {
        _ = try steps(name: name, arguments: rest, offset: offset)
        return found
      } catch {
        let wrong = rest.firstIndex { $0.offset != nil && $0.offset == error.offset && $0.offset != offset }
        let isEmptied = wrong.map { rest[$0].key == nil && rest[$0].value.isEmpty } ?? true
        // Without its wrong arguments the filter may lack a required one, which is no mistake of its own.
        if found.isEmpty || !isEmptied { found.append(error) }
        guard let wrong, !isEmptied else { return found }
        if rest[wrong].key == nil {
          // A right value in its place: the arguments after it keep their positions, and a required one isn't missing.
          let right = Self.example(of: name, at: wrong)
          rest[wrong].value = right == rest[wrong].value ? "" : right
        } else {
          rest.remove(at: wrong)
        }
      }
    }
  }

  /// The positional argument of a filter's example; empty if it has none.
  private static func example(of name: String, at position: Int) -> String {
    let parts =
      FilterTable.entry(named: name)?.0.example.split(separator: ":").dropFirst().map(String.init) ?? []
    guard parts.indices.contains(position), !parts[position].contains("=") else { return "" }
    return parts[position]
  }

  /// Reads `ci:NAME:…`, where Core Image's filter name is the first argument.
  private func coreImageSteps(_ arguments: [Argument], offset: Int?) throws(FilterError) -> [FilterStep] {
    let names = CoreImageFilters.all.map { String($0.name.dropFirst(3)) }
    let name = arguments.first.flatMap { $0.key == nil || $0.key == "name" ? $0.value : nil }
    guard let name, FilterTable.definition(named: "ci:\(name)") != nil else {
      throw FilterError(
        .unknownFilter,
        (name.map {
          "the Core Image filter '\($0)' isn't supported" + NearestName.suggestion(for: $0, among: names)
        }
          ?? "ci needs the name of a Core Image filter") + "; supported: "
          + names.sorted().joined(separator: ", "),
        offset: arguments.first?.offset ?? offset)
    }
    return try steps(name: "ci:\(name)", arguments: Array(arguments.dropFirst()), offset: offset)
  }

  /// Every parameter's value: the written one, or else the alias's preset, or else the default.
  private func arguments(
    of definition: FilterDefinition, written: [Argument], presets: [String: String], offset: Int?
  ) throws(FilterError) -> FilterArguments {
    var texts: [String: (text: String, offset: Int?)] = [:]
    var position = 0
    for argument in try joiningSides(of: definition, written) {
      let parameter: FilterParameter
      if let key = argument.key {
        guard let match = Self.parameter(key, of: definition) else {
          var keys = definition.parameters.map(\.displayName)
          if Self.takesSides(definition) { keys += ["width", "height"] }
          throw FilterError(
            .badArgument,
            keys.isEmpty
              ? "\(definition.name) takes no arguments"
              : "\(definition.name) has no parameter '\(key)'\(NearestName.suggestion(for: key, among: keys)); "
                + "it takes " + keys.joined(separator: ", "), offset: argument.offset)
        }
        parameter = match
        position = .max
      } else {
        guard position != .max else {
          throw FilterError(
            .badArgument,
            "in \(definition.name), positional argument '\(argument.value)' must come before arguments with a key",
            offset: argument.offset)
        }
        guard position < definition.parameters.count else {
          let count = definition.parameters.count
          throw FilterError(
            .badArgument,
            count == 0
              ? "\(definition.name) takes no arguments"
              : "\(definition.name) takes at most \(count) argument\(count == 1 ? "" : "s"); "
                + "'\(argument.value)' is one too many", offset: argument.offset)
        }
        parameter = definition.parameters[position]
        position += 1
        // `blur::edge=clamp`: an empty positional argument keeps the default.
        if argument.value.isEmpty { continue }
      }
      guard texts.updateValue((argument.value, argument.offset), forKey: parameter.name) == nil else {
        throw FilterError(
          .badArgument, "\(definition.name) has the argument '\(parameter.displayName)' twice",
          offset: argument.offset)
      }
    }

    var values: [FilterArguments.Entry] = []
    for parameter in definition.parameters {
      let written = texts[parameter.name]
      guard let text = written?.text ?? presets[parameter.name] ?? parameter.defaultText else {
        guard parameter.isRequired else { continue }
        throw FilterError(
          .badArgument,
          "\(definition.name) needs '\(parameter.displayName)' (\(parameter.type.summary)), as in \(definition.example)",
          offset: offset)
      }
      try ChainLimits.check(text, for: parameter, of: definition.name, offset: written?.offset ?? offset)
      guard let value = parameter.type.value(of: text) else {
        throw FilterError(
          .badArgument,
          "'\(text)' is not a valid \(parameter.displayName) for \(definition.name); expected \(parameter.type.summary)"
            + (ForeignNames.hint(forValue: text, of: parameter.type)
              ?? NearestName.suggestion(for: text, among: parameter.type.words)),
          offset: written?.offset ?? offset)
      }
      values.append(FilterArguments.Entry(key: parameter.name, value: value))
    }
    let given = Set(values.map(\.key))
    guard definition.needsOneOf.isEmpty || definition.needsOneOf.contains(where: given.contains) else {
      throw FilterError(
        .badArgument,
        "\(definition.name) needs one of \(definition.needsOneOf.map(Spelling.american).joined(separator: ", ")), as in \(definition.example)",
        offset: offset)
    }
    return FilterArguments(filter: definition.name, values: values)
  }

  private static func parameter(_ key: String, of definition: FilterDefinition) -> FilterParameter? {
    if let parameter = definition.parameters.first(where: { $0.name == key }) { return parameter }
    let normalized = Spelling.normalized(key)
    return definition.parameters.first { Spelling.normalized($0.name) == normalized }
  }

  private static func takesSides(_ definition: FilterDefinition) -> Bool {
    definition.parameters.contains { $0.type == .size && $0.name == "size" }
  }

  /// Joins the arguments `width` and `height` into `size` for a filter that takes one, because manifests often
  /// give the two separately.
  private func joiningSides(of definition: FilterDefinition, _ written: [Argument]) throws(FilterError)
    -> [Argument]
  {
    guard Self.takesSides(definition) else { return written }
    var width: Argument?
    var height: Argument?
    var others: [Argument] = []
    for argument in written {
      switch argument.key?.lowercased() {
      case "width" where width == nil: width = argument
      case "height" where height == nil: height = argument
      default: others.append(argument)
      }
    }
    guard let first = width ?? height else { return written }
    // Each side is checked before they are joined: the message quotes what the user wrote.
    for side in [width, height] {
      guard let side, let key = side.key?.lowercased(), !side.value.isEmpty,
        SizeSpecification(side.value + "x") == nil
      else { continue }
      throw FilterError(
        .badArgument,
        "'\(side.value)' is not a valid \(key) for \(definition.name); expected a whole number, "
          + "\(SizeSpecification.sides.lowerBound)…\(SizeSpecification.sides.upperBound)", offset: side.offset
      )
    }
    let size = "\(width?.value ?? "")x\(height?.value ?? "")"
    return others + [Argument(key: "size", value: size, offset: first.offset)]
  }
}
