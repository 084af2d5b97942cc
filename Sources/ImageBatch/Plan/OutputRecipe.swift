public import ImageCaches
import ImageFilters

/// What an output's key is made of, in words: what a run made it from, and what another would.
public struct OutputRecipe: Sendable, Hashable, Codable {
  /// The source as it may be shown.
  public var source: String
  /// The source's content.
  public var content: ContentDigest
  /// The chain's identifier.
  public var filter: String
  /// The encoding's identifier.
  public var encoding: String
  /// ``RenderKeys/engine``.
  public var engine: String
  /// The contents of the pictures that the chain names, by name.
  public var auxiliary: [String: ContentDigest]

  init(_ output: Output, source: String, content: ContentDigest, auxiliary: [String: ContentDigest]) {
    self.source = source
    self.content = content
    filter = output.chain.identifier
    encoding = output.encoding.identifier
    engine = RenderKeys.engine
    self.auxiliary = auxiliary
  }

  /// A part that two recipes don't have in common.
  public struct Difference: Sendable, Hashable, Codable {
    /// `source content`, `filter`, `encoding`, `engine`, or `picture NAME`.
    public var part: String
    /// What it was.
    public var before: String
    /// What it is.
    public var now: String
  }

  /// What makes this recipe's key another than an earlier one's; empty where the keys are equal. A source of another
  /// address and the same content makes none.
  public func differences(from earlier: OutputRecipe) -> [Difference] {
    var result: [Difference] = []
    func compare(_ part: String, _ before: String?, _ now: String?) {
      guard before != now else { return }
      result.append(Difference(part: part, before: before ?? "nothing", now: now ?? "nothing"))
    }
    compare("source content", earlier.content.hex, content.hex)
    compare("filter", earlier.filter, filter)
    compare("encoding", earlier.encoding, encoding)
    compare("engine", earlier.engine, engine)
    for name in Set(earlier.auxiliary.keys).union(auxiliary.keys).sorted() {
      compare("picture \(name)", earlier.auxiliary[name]?.hex, auxiliary[name]?.hex)
    }
    return result
  }
}
