import ImageBatch
import ImageFilters
import ImageRendering

/// The manifest's JSON Schema (draft 2020-12), for editors and other programs.
///
/// It is made from the reader's tables of keys, and from those of filters and encoders. Only the reader checks what a
/// schema can't express: defined names, geometry, paths.
package enum ManifestSchema {
  /// The schema as JSON, with a line break at the end.
  /// - Parameter known: The settings that a manifest may have. Default: any.
  package static func json(_ known: KnownSettings = KnownSettings()) -> String {
    let head: SchemaValue = [
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "imagemill manifest",
      "description": "Outputs, with the sources and filters to make them from. See imagemill-manifest(5).",
    ]
    let definitions: [(String, SchemaValue)] = [
      ("job", schema(of: .job)),
      ("output", schema(of: .output)),
      ("scalar", ["type": ["string", "number", "boolean"]]),
      ("setting", schema(of: .scalarOrList)),
      ("chain", chain), ("filters", filters), ("arguments", arguments), ("encode", encode),
      ("settings", settings(known)),
    ]
    guard case .object(let body) = schema(of: .manifest) else { return "" }
    return head.adding(body + [("$defs", .object(definitions))]).text() + "\n"
  }

  private static func reference(_ name: String) -> SchemaValue { ["$ref": .text("#/$defs/\(name)")] }

  // MARK: Keys

  private static func schema(of table: KeyTable) -> SchemaValue {
    let properties = table.keys.map { key in
      (key.name, special(key).adding([("description", .text(key.summary))]))
    }
    var members: [(String, SchemaValue)] = [("type", "object"), ("properties", .object(properties))]
    let required = table.keys.filter { $0.isRequired && $0.unless == nil }.map { SchemaValue.text($0.name) }
    if !required.isEmpty { members.append(("required", .list(required))) }
    for key in table.keys {
      guard key.isRequired, let other = key.unless else { continue }
      members.append(
        ("anyOf", [["required": [.text(key.name)]], ["required": [.text(other)]]]))
    }
    members.append(("additionalProperties", false))
    // 'output' and 'outputs' exclude each other.
    if table.names.contains("outputs") { members.append(("not", ["required": ["output", "outputs"]])) }
    return .object(members)
  }

  /// The schema of a key's value, narrower than its form for some keys.
  private static func special(_ key: KeyTable.Key) -> SchemaValue {
    switch key.name {
    case "imagemill": ["enum": [1, "1"]]
    case "sha256": ["anyOf": [["type": "string", "pattern": "^[0-9A-Fa-f]{64}$"], field]]
    case "encode": reference("encode")
    case "settings": reference("settings")
    case "filters":
      schema(of: key.form).adding([
        ("propertyNames", ["not": ["enum": .list(FilterChain.knownNames.map { .text($0) })]])
      ])
    case "quality": number(from: 1, to: 100)
    case "priority": number()
    case "max-active": number(from: 1)
    case "duration": duration
    case "format":
      schema(of: key.form).adding([
        ("examples", .list((OutputFormat.allCases.map(\.rawValue) + ["auto", "same"]).map { .text($0) }))
      ])
    default: schema(of: key.form)
    }
  }

  private static func schema(of form: KeyForm) -> SchemaValue {
    switch form {
    case .text: ["type": "string"]
    case .scalar: reference("scalar")
    case .choice(let names): ["anyOf": [["enum": .list(names.map { .text($0) })], field]]
    case .chain: reference("chain")
    case .list(let member): ["type": "array", "minItems": 1, "items": schema(of: member)]
    case .textOrList:
      ["anyOf": [["type": "string"], ["type": "array", "minItems": 1, "items": ["type": "string"]]]]
    case .scalarOrList:
      ["anyOf": [reference("scalar"), ["type": "array", "minItems": 1, "items": reference("scalar")]]]
    case .names(let value): ["type": "object", "additionalProperties": schema(of: value)]
    case .object(let table):
      switch table.title {
      case KeyTable.job.title: reference("job")
      case KeyTable.output.title: reference("output")
      default: schema(of: table)
      }
    }
  }

  /// A string with a field, whose value comes from variables or the matrix.
  private static let field: SchemaValue = ["type": "string", "pattern": "\\{"]

  /// A whole number: a number, a string or a field.
  private static func number(from least: Int? = nil, to most: Int? = nil) -> SchemaValue {
    let bounds = [("minimum", least), ("maximum", most)].compactMap { name, bound in
      bound.map { (name, SchemaValue.number($0)) }
    }
    let integer: SchemaValue = ["type": "integer"]
    return ["anyOf": [integer.adding(bounds), ["type": "string", "pattern": "^[-+]?[0-9]+$"], field]]
  }

  /// A duration of a chain, which has its unit, or a field.
  private static let duration: SchemaValue = ["type": "string", "pattern": "[0-9.]m?s$|\\{"]

  /// Settings by name; any if none is known.
  private static func settings(_ known: KnownSettings) -> SchemaValue {
    let properties = known.ofManifests.map { name in
      let summary = known.summaries[name].map { [("description", SchemaValue.text($0))] } ?? []
      return (name, reference("setting").adding(summary))
    }
    let others: SchemaValue = properties.isEmpty ? reference("setting") : false
    return ["type": "object", "properties": .object(properties), "additionalProperties": others]
  }

  // MARK: Chains

  private static let chain: SchemaValue = [
    "description": "Filters in order: 'fill:100x100,circle', a list of filters, or a mapping of them.",
    "anyOf": [
      ["type": "string"],
      ["type": "array", "items": ["anyOf": [["type": "string"], reference("filters")]]],
      reference("filters"),
    ],
  ]

  /// Filters by name, with their arguments. Other names are named chains.
  private static var filters: SchemaValue {
    let known = FilterTable.all.flatMap { filter in
      let schema = arguments(of: filter)
      return [(filter.name, schema)] + filter.aliases.map { ($0.name, schema) }
    }
    return ["type": "object", "properties": .object(known), "additionalProperties": reference("arguments")]
  }

  private static func arguments(of filter: FilterDefinition) -> SchemaValue {
    let parameters = filter.parameters.map { parameter in
      let text = "\(parameter.summary) (\(parameter.type.summary))"
      let value = if case .duration = parameter.type { duration } else { reference("scalar") }
      return (parameter.displayName, value.adding([("description", .text(text))]))
    }
    return reference("arguments").adding([
      ("description", .text(filter.summary)), ("examples", .list([.text(filter.example)])),
      ("properties", .object(parameters)),
    ])
  }

  /// One value, a list in the filter's order, or a mapping.
  private static let arguments: SchemaValue = [
    "anyOf": [
      reference("scalar"), ["type": "null"], ["type": "array", "items": reference("scalar")],
      ["type": "object", "additionalProperties": reference("scalar")],
    ]
  ]

  // MARK: Encoders

  private static var encode: SchemaValue {
    var formats: [String: [String]] = [:]
    var options: [String: EncoderOption] = [:]
    for definition in EncoderTable.all {
      for option in definition.options {
        formats[option.name, default: []].append(definition.format.rawValue)
        options[option.name] = options[option.name] ?? option
      }
    }
    let properties = options.keys.sorted().compactMap { name -> (String, SchemaValue)? in
      guard let option = options[name] else { return nil }
      let text = "\(option.help) (\((formats[name] ?? []).joined(separator: ", ")))"
      return (name, reference("scalar").adding([("description", .text(text))]))
    }
    return ["type": "object", "properties": .object(properties), "additionalProperties": reference("scalar")]
  }
}
