/// Filters in order; an empty chain is the image unchanged.
public struct FilterChain: Hashable, Sendable {
  /// The canonical text: one chain has one identifier, however it was written (FILTERS.md, "Identifier").
  public let identifier: String

  /// The chain that `text` describes in FILTERS.md's grammar. A name may be one of `named`.
  public init(parsing text: String, named: [String: FilterChain] = [:]) throws(FilterError) {
    identifier = text
  }

  /// The chain of one filter, or of one named chain, with its arguments as written (the manifest's mapping form): `key` is nil for a positional value. Nothing in a value is escaped.
  public init(
    name: String, arguments: [(key: String?, value: String)], named: [String: FilterChain] = [:]
  ) throws(FilterError) {
    identifier = name
  }

  /// The chains one after the other.
  public init(_ chains: [FilterChain]) {
    identifier = chains.map(\.identifier).filter { !$0.isEmpty }.joined(separator: ",")
  }

  /// The SOURCE texts that its overlays and masks name, in order, each once.
  public var references: [String] { [] }

  /// The names of all filters and aliases, for "did you mean".
  public static var knownNames: [String] { [] }
}
