import ImageFilters
import SystemIO

/// What to write in place of operands that were meant as filters.
enum ChainHints {
  /// The complaint about an operand too many that was meant as a filter: the chain isn't quoted and has spaces, or lacks
  /// its option.
  /// - Parameter chains: The values of `-f`.
  /// - Returns: nil if no operand looks like a filter.
  static func complaint(_ operands: [String], chains: [String]) -> String? {
    var filters: [String] = operands.dropLast().filter(isFilter)
    if filters.isEmpty, operands.count > 2, chains.last?.hasSuffix(",") == true { filters = [operands[1]] }
    guard let first = filters.first else { return nil }
    let remedy: String
    if let chain = chains.last {
      let whole = joined([chain] + filters)
      remedy =
        "quote a chain that contains spaces, as in -f "
        + (whole.contains("'") ? ShellWord.quoted(whole) : "'\(whole)'")
    } else {
      remedy = "a chain needs -f, as in -f \(ShellWord.quoted(joined(filters)))"
    }
    return "unexpected argument '\(first)'; \(remedy)"
  }

  /// Whether a word is a filter with its arguments, such as `fill:200x200`, and no file.
  private static func isFilter(_ word: String) -> Bool {
    let name = word.prefix { $0 != ":" && $0 != "," }
    return FilterTable.definition(named: String(name)) != nil && !File.exists(word)
  }

  /// The filters as one chain.
  private static func joined(_ filters: [String]) -> String {
    filters.map { filter -> String in
      var filter = filter[...]
      while filter.last == "," { filter.removeLast() }
      return String(filter)
    }.joined(separator: ",")
  }
}
