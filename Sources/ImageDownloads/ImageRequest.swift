public import WebValues
public import ImageCaches

/// A source, and how to request it. Equal requests in flight share one download.
public struct ImageRequest: Hashable, Sendable {
  /// The source of the bytes: a URL, a file, a `data:` URL or standard input.
  public var source: ImageSource
  /// Fields to send only to the source's own origin; they replace the configuration's fields of the same name.
  public var headers: [HeaderField] = []
  /// The use of the HTTP cache; nil for ``ImageDownloader/Configuration/cacheMode``. Default: nil.
  public var cacheMode: CacheMode?

  /// Creates a request without header fields, with the configuration's cache mode.
  /// - Parameter source: The source of the bytes.
  public init(_ source: ImageSource) {
    self.source = source
  }
}

extension ImageRequest: ImageRequestIdentity {
  /// The request's key in memory caches: its source. As in AlamofireImage, headers aren't part of it; callers that send
  /// different headers to one URL pass an identifier for each.
  public var absoluteURL: String {
    switch source {
    case .url(let text), .data(let text): text
    case .file(let path): "file:\(path)"
    case .standardInput: "-"
    }
  }
}
