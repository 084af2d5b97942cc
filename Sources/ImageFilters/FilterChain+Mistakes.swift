extension FilterChain {
  /// All mistakes in a chain's text, of which ``init(parsing:named:)`` throws only the first.
  package static func mistakes(in text: String, named: [String: FilterChain] = [:]) -> [FilterError] {
    ChainParser(reader: FilterReader(named: named)).mistakes(text)
  }

  /// All mistakes of one filter in a manifest's mapping form. Their offsets are indices of arguments.
  package static func mistakes(
    name: String, arguments: [(key: String?, value: String)], named: [String: FilterChain] = [:]
  ) -> [FilterError] {
    let written = arguments.enumerated().map { index, argument in
      FilterReader.Argument(key: argument.key, value: argument.value, offset: index)
    }
    return FilterReader(named: named).mistakes(name: name, arguments: written, offset: nil)
  }
}
