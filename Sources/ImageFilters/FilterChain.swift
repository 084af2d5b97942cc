/// Filters in order; an empty chain is the image unchanged.
///
///     let chain = try FilterChain(parsing: "fill:100x100,circle")
///     let avatar = try chain.apply(to: photograph)
public struct FilterChain: Hashable, Sendable {
  let steps: [FilterStep]
  /// The canonical text: one chain has one identifier, however it was written (docs/architecture.md, "Keys").
  public let identifier: String

  /// Throws where the chain is longer than ``ChainLimits`` allow.
  init(steps: [FilterStep]) throws(FilterError) {
    try ChainLimits.check(steps: steps.count)
    self.steps = steps
    identifier = steps.map(\.identifier).joined(separator: ",")
    guard identifier.utf8.count <= ChainLimits.identifier else {
      throw FilterError(
        .tooLong,
        "the chain's texts have \(identifier.utf8.count) bytes, and may have \(ChainLimits.identifier); "
          + "make them shorter")
    }
  }

  /// A chain of another one's steps, which has been checked.
  init(checked steps: [FilterStep]) {
    self.steps = steps
    identifier = steps.map(\.identifier).joined(separator: ",")
  }

  /// The chain that does nothing.
  public init() { self.init(checked: []) }

  /// The chain that `text` describes in the grammar of imagemill-filters(7). A name may be one of `named`.
  /// - Throws: `FilterError` with the place in the text; `tooLong` beyond ``ChainLimits``.
  public init(parsing text: String, named: [String: FilterChain] = [:]) throws(FilterError) {
    try self.init(steps: try ChainParser(reader: FilterReader(named: named)).steps(text))
  }

  /// The chain of one filter, or of one named chain, with its arguments as written (the manifest's mapping form): `key` is nil for a positional value. Nothing in a value is escaped.
  /// An error's offset is the number of the argument that is wrong, from 0; nil where it is none of them.
  public init(
    name: String, arguments: [(key: String?, value: String)], named: [String: FilterChain] = [:]
  ) throws(FilterError) {
    let written = arguments.enumerated().map { index, argument in
      FilterReader.Argument(key: argument.key, value: argument.value, offset: index)
    }
    try self.init(steps: try FilterReader(named: named).steps(name: name, arguments: written, offset: nil))
  }

  /// The chains one after the other.
  /// - Throws: `FilterError.tooLong` where they are longer together than ``ChainLimits`` allow.
  public init(_ chains: [FilterChain]) throws(FilterError) {
    // Before they are put together.
    try ChainLimits.check(steps: chains.reduce(0) { $0 + $1.steps.count })
    try self.init(steps: chains.flatMap(\.steps))
  }

  /// The number of its filters, named ones written out.
  public var count: Int { steps.count }

  /// Whether it does nothing.
  public var isEmpty: Bool { steps.isEmpty }

  /// The SOURCE texts that its overlays and masks name, in order, each once.
  public var references: [String] {
    var result: [String] = []
    for step in steps {
      guard let definition = FilterTable.definition(named: step.name) else { continue }
      for parameter in definition.parameters where parameter.type == .source {
        for case .text(let text) in step.arguments.values.filter({ $0.key == parameter.name }).map(\.value)
        where !result.contains(text) {
          result.append(text)
        }
      }
    }
    return result
  }

  /// A value as it is written in a chain's text, with the grammar's four characters escaped: whatever it holds, it adds
  /// no filter and no argument.
  public static func escaped(_ value: String) -> String { Escaping.escaped(value) }

  /// The names of all filters and aliases, for "did you mean".
  public static var knownNames: [String] { FilterTable.names }
}

extension FilterChain: Codable {
  /// Reads an identifier.
  public init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the identifier.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(identifier)
  }
}
