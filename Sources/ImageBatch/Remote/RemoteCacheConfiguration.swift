import Curl
package import ImageDownloads
package import WebValues

/// A cache of outputs on another machine, in the layout of Bazel's HTTP cache: records under `ac/KEY`, bytes under
/// `cas/SHA256`.
package struct RemoteCacheConfiguration: Sendable {
  /// What a batch may do with the cache.
  package enum Mode: String, Sendable, CaseIterable {
    /// Outputs are looked up.
    case read
    /// Outputs are looked up, and those that are rendered are uploaded.
    case readWrite = "read-write"
  }

  /// The URL that paths are appended to. Redirects aren't followed.
  package var url: WebAddress
  package var mode = Mode.readWrite
  /// Fields of each request, such as `Authorization`.
  package var fields: [HeaderField] = []
  /// The limit for one request, for all delays by slow lookups together, and for the uploads that are left at the end;
  /// more than 0.
  package var timeout: Duration = .seconds(10)
  /// The proxy's URL; nil connects directly.
  package var proxy: String?
  /// A PEM file of certificate authorities to trust instead of the system's.
  package var certificateAuthorities: String?
  package var acceptsAnyCertificate = false
  /// The maximum number of concurrent lookups, from 1. Uploads take a quarter of it.
  package var connections = 16

  package init(url: WebAddress) { self.url = url }

  /// The options of a request for a path under ``url``.
  func options(for path: String) -> TransferOptions {
    let base = url.description
    var options = TransferOptions(url: base + (base.hasSuffix("/") ? "" : "/") + path)
    options.fields = fields
    options.connectTimeout = min(10, timeout / .seconds(1))
    options.stallTimeout = timeout / .seconds(1)
    options.timeout = timeout / .seconds(1)
    options.proxy = proxy
    options.certificateAuthorities = certificateAuthorities
    options.acceptsAnyCertificate = acceptsAnyCertificate
    return options
  }
}
