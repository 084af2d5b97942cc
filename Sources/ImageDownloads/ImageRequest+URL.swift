public import struct FoundationEssentials.URL

extension ImageRequest {
  /// Creates a request for an http or https URL.
  ///
  /// Any other URL fails when it is loaded: a URL from the network must not be able to name a local file.
  /// - Parameter url: The URL.
  public init(_ url: URL) { self.init(.url(url.absoluteString)) }
}
