public import Curl
public import ImageCaches

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

extension ImageRequest: ImageRequestIdentity {
  /// What caches of images in memory know the request by: its source. Headers don't count, as in AlamofireImage; who
  /// sends different ones to one URL gives each an identifier.
  public var absoluteURL: String {
    switch source {
    case .url(let text), .data(let text): text
    case .file(let path): "file:\(path)"
    case .standardInput: "-"
    }
  }
}
