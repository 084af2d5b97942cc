/// How long a chain may be: a few hundred bytes of named chains that use one another could stand for millions of filters.
/// Chains are refused before they are made, wherever they come from.
public enum ChainLimits {
  /// The most filters of a chain, its named chains written out.
  public static let steps = 256
  /// The longest text of a chain, in bytes of UTF-8.
  public static let text = 1 << 20
  /// The longest canonical text of a chain, in bytes of UTF-8: it stands in keys, records and reports.
  public static let identifier = 256 << 10
  /// The longest words that `text` draws, in bytes of UTF-8.
  public static let words = 16 << 10
  /// The longest path or URL of a source that is written in a chain, in bytes of UTF-8. A named one has no limit here.
  public static let source = 64 << 10
  /// The longest argument of any other kind, in bytes of UTF-8.
  public static let argument = 1 << 10

  /// Throws where so many filters are too many. `offset` is where the one too many stands.
  package static func check(steps count: Int, offset: Int? = nil) throws(FilterError) {
    guard count > steps else { return }
    throw FilterError(
      .tooLong, "the chain has more than \(steps) filters, named chains written out; make it shorter",
      offset: offset)
  }

  /// Throws where an argument's text is too long for its kind.
  static func check(
    _ text: String, for parameter: FilterParameter, of filter: String, offset: Int?
  ) throws(FilterError) {
    let limit: Int
    var remedy = "make it shorter"
    switch parameter.type {
    case .text: limit = words
    case .source: (limit, remedy) = (source, "give the source a name, and use that")
    default: limit = argument
    }
    guard text.utf8.count > limit else { return }
    throw FilterError(
      .tooLong,
      "the \(parameter.name) of \(filter) has \(text.utf8.count) bytes, and may have \(limit); \(remedy)",
      offset: offset)
  }
}
