/// A sequence of filters. An empty chain leaves the image unchanged.
///
///     let chain = FilterChain(.fill(width: 100, height: 100), .circle)
///     let avatar = try chain.apply(to: photograph)
///
/// A chain from typed filters or from a string literal may hold an argument that is out of range. Applying it then
/// throws, and so does ``check()``. Chains from ``init(parsing:named:)`` are always valid.
public struct FilterChain: Hashable, Sendable {
  let steps: [FilterStep]
  /// The canonical text. Every spelling of a chain has the same identifier (docs/architecture.md, "Keys").
  public let identifier: String
  /// The images that the chain refers to, as written in its source arguments, in order and without duplicates.
  public let references: [String]
  /// The first invalid argument; nil in a valid chain.
  let problem: FilterError?

  /// Throws `FilterError` with code `tooLong` if the chain exceeds ``ChainLimits``.
  init(steps: [FilterStep]) throws(FilterError) {
    try ChainLimits.check(steps: steps.count)
    self.steps = steps
    references = Self.references(of: steps)
    problem = nil
    identifier = steps.map(\.identifier).joined(separator: ",")
    guard identifier.utf8.count <= ChainLimits.identifier else {
      throw FilterError(
        .tooLong,
        "the chain's canonical text has \(identifier.utf8.count) bytes; the limit is \(ChainLimits.identifier); "
          + "make its arguments shorter")
    }
  }

  /// Creates a chain from steps of a chain that has already been checked.
  init(checked steps: [FilterStep]) {
    self.steps = steps
    references = Self.references(of: steps)
    problem = nil
    identifier = steps.map(\.identifier).joined(separator: ",")
  }

  /// Creates a chain that can't be applied.
  init(problem: FilterError) {
    steps = []
    references = []
    self.problem = problem
    // Not parseable as a chain, so that no valid chain has this identifier.
    identifier = "(invalid) \(problem.message)"
  }

  /// Creates an empty chain, which applies to any image and only converts it to sRGB.
  public init() { self.init(checked: []) }

  /// Parses a chain in the grammar of imagemill-filters(7).
  /// - Parameters:
  ///   - text: The chain's text, at most ``ChainLimits/text`` bytes of UTF-8.
  ///   - named: Chains that the text may use by name. Default: none.
  /// - Throws: `FilterError` with the position in the text: `bad-chain` for text that doesn't match the
  ///   grammar, `unknown-filter`, `bad-argument`, or `chain-too-long` if the chain exceeds ``ChainLimits``.
  public init(parsing text: String, named: [String: FilterChain] = [:]) throws(FilterError) {
    try self.init(steps: try ChainParser(reader: FilterReader(named: named)).steps(text))
  }

  /// Creates a chain from one filter or one named chain, as in a manifest's mapping form.
  /// - Parameters:
  ///   - name: A filter, an alias or one of `named`.
  ///   - arguments: Unescaped values; `key` is nil for a positional one.
  ///   - named: Chains that `name` may refer to.
  /// - Throws: `FilterError`. Its offset is the index of the wrong argument; nil if no argument is wrong.
  public init(
    name: String, arguments: [(key: String?, value: String)], named: [String: FilterChain] = [:]
  ) throws(FilterError) {
    let written = arguments.enumerated().map { index, argument in
      FilterReader.Argument(key: argument.key, value: argument.value, offset: index)
    }
    try self.init(steps: try FilterReader(named: named).steps(name: name, arguments: written, offset: nil))
  }

  /// Concatenates chains.
  /// - Parameter chains: The chains, in the order of application.
  /// - Throws: `FilterError`: the error of ``check()`` for an invalid chain, or `chain-too-long` if the
  ///   result exceeds ``ChainLimits``.
  package init(_ chains: [FilterChain]) throws(FilterError) {
    // Check before `flatMap`, so that an oversized result is never allocated.
    for chain in chains { try chain.check() }
    try ChainLimits.check(steps: chains.reduce(0) { $0 + $1.steps.count })
    try self.init(steps: chains.flatMap(\.steps))
  }

  /// The number of filters, with named chains expanded.
  public var count: Int { steps.count }

  /// Whether the chain has no filters.
  public var isEmpty: Bool { steps.isEmpty }

  private static func references(of steps: [FilterStep]) -> [String] {
    var result: [String] = []
    for step in steps {
      guard let definition = step.definition else { continue }
      for parameter in definition.parameters where parameter.type == .source {
        for case .text(let text) in step.arguments.values.filter({ $0.key == parameter.name }).map(\.value)
        where !result.contains(text) {
          result.append(text)
        }
      }
    }
    return result
  }

  /// Replaces the images that the chain refers to.
  /// - Parameter replacement: Returns the new text for each path, URL or name as written in the chain.
  /// - Returns: The new chain; this chain if it refers to no images.
  public func replacingReferences(_ replacement: (String) -> String) -> FilterChain {
    guard !references.isEmpty else { return self }
    return FilterChain(
      checked: steps.map { step in
        let names = step.definition?.parameters.filter { $0.type == .source }.map(\.name)
        let values = step.arguments.values.map { entry in
          guard case .text(let text) = entry.value, names?.contains(entry.key) == true else { return entry }
          return FilterArguments.Entry(key: entry.key, value: .text(replacement(text)))
        }
        return step.replacing(values)
      })
  }

  /// Escapes the four characters that the grammar reserves, so that a value can't add filters or arguments to
  /// a chain's text.
  /// - Parameter value: Any text, such as a file name.
  /// - Returns: The text with `%`, `,`, `:` and `=` written as `%25`, `%2C`, `%3A` and `%3D`.
  public static func escaped(_ value: String) -> String { Escaping.escaped(value) }

  /// The names of all filters and aliases, sorted.
  public static var knownNames: [String] { FilterTable.names }
}

extension FilterChain: Codable {
  /// Decodes a chain from its identifier. A chain with a program's own filters can't be decoded.
  /// - Parameter decoder: A decoder with a single string.
  /// - Throws: `DecodingError` if the value isn't a string; `FilterError` if the string isn't a valid chain.
  public init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the chain as its identifier. An invalid chain (``check()``) is encoded as text that doesn't
  /// decode.
  /// - Parameter encoder: The encoder, which receives a single string.
  /// - Throws: The encoder's error, or `EncodingError` for a chain with a program's own filters: whoever decoded it would
  ///   apply the table's filter of the same name, and silently make other pixels.
  public func encode(to encoder: any Encoder) throws {
    guard !hasOwnFilters else {
      throw EncodingError.invalidValue(
        self,
        EncodingError.Context(
          codingPath: encoder.codingPath, debugDescription: "a program's own filter runs only in its process")
      )
    }
    var container = encoder.singleValueContainer()
    try container.encode(identifier)
  }
}
