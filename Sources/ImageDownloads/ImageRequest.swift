public import Curl

/// A source and how to ask for it. Equal requests in flight are one download.
public struct ImageRequest: Hashable, Sendable {
  /// Where the bytes come from.
  public var source: ImageSource
  /// Fields to send to the source's own origin, and to no other: they take the place of the configuration's.
  public var headers: [HeaderField] = []
  /// What is wanted of the HTTP cache; the configuration's wish where nil.
  public var cacheMode: CacheMode?

  /// A request for a source.
  public init(_ source: ImageSource) {
    self.source = source
  }
}
