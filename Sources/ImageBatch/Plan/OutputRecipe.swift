public import ImageCaches
import ImageFilters
import ImageRendering

/// The parts of an output's key as text, recorded to explain why an output is made again.
public struct OutputRecipe: Sendable, Hashable, Codable {
  /// The source's text without credentials.
  public var source: String
  /// The SHA-256 of the source's bytes.
  public var content: ContentDigest
  /// The identifier of the filter chain, without secrets.
  public var filter: String
  /// The `Encoding.identifier` of the encoding.
  public var encoding: String
  /// The `RenderKeys.engine` of the build.
  public var engine: String
  /// The digests of the images that the chain refers to, by reference.
  public var auxiliary: [String: ContentDigest]

  init(_ output: JobOutput, source: String, content: ContentDigest, auxiliary: [String: ContentDigest]) {
    self.source = source
    self.content = content
    filter = output.chain.displayIdentifier
    encoding = output.encoding.identifier
    engine = RenderKeys.engine
    // URLs that differ only in their secrets have the same display text. Keep the last one's digest.
    self.auxiliary = Dictionary(
      auxiliary.map { (FilterChain.displayText(ofReference: $0.key), $0.value) }
    ) { $1 }
  }

  /// A part that differs between two recipes.
  public struct Difference: Sendable, Hashable, Codable {
    /// `source content`, `filter`, `encoding`, `engine`, or `image NAME`.
    public var part: String
    /// The value in the earlier recipe; `nothing` if it had none.
    public var before: String
    /// The value in the current recipe; `nothing` if it has none.
    public var now: String
  }

  /// Finds the parts that make this recipe's key differ from an earlier one's. The source's URL isn't one of
  /// them.
  /// - Parameter earlier: The recipe of an earlier output at the same path.
  /// - Returns: The differences; empty if the keys are equal.
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
      compare("image \(name)", earlier.auxiliary[name]?.hex, auxiliary[name]?.hex)
    }
    return result
  }
}
