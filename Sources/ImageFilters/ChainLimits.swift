/// Limits on the length of a chain, checked before the chain is built.
///
/// Without them, a few hundred bytes of nested named chains could expand to millions of filters.
public enum ChainLimits {
  /// The most filters in a chain, with named chains expanded.
  public static let steps = 256
  /// The longest chain text, in bytes of UTF-8.
  public static let text = 1 << 20
  /// The longest canonical text, in bytes of UTF-8. Cache keys, records and reports contain it.
  public static let identifier = 256 << 10
  /// The longest string that `text` draws, in bytes of UTF-8.
  public static let words = 16 << 10
  /// The longest source path or URL in a chain, in bytes of UTF-8. Named sources are not limited here.
  public static let source = 64 << 10
  /// The longest argument of any other type, in bytes of UTF-8.
  public static let argument = 1 << 10

  /// Throws `FilterError` if `count` exceeds ``steps``. `offset` is the position of the first filter over the limit.
  package static func check(steps count: Int, offset: Int? = nil) throws(FilterError) {
    guard count > steps else { return }
    throw FilterError(
      .tooLong, "the chain has more than \(steps) filters, with named chains expanded; make it shorter",
      offset: offset)
  }

  /// Throws `FilterError` if an argument's text is too long for its type.
  static func check(
    _ text: String, for parameter: FilterParameter, of filter: String, offset: Int?
  ) throws(FilterError) {
    let limit: Int
    var remedy = "make it shorter"
    switch parameter.type {
    case .text: limit = words
    case .source: (limit, remedy) = (source, "define a named source and use its name")
    default: limit = argument
    }
    guard text.utf8.count > limit else { return }
    throw FilterError(
      .tooLong,
      "the \(parameter.displayName) of \(filter) has \(text.utf8.count) bytes; the limit is \(limit); \(remedy)",
      offset: offset)
  }
}
