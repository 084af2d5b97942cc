import Curl
import ImageCaches

/// An answer in the HTTP cache: its head, when it was had, and which of a request's fields it depends on. The body is an object of the store.
struct StoredResponse: Sendable, Hashable {
  /// The status code.
  var status: Int
  /// The reason phrase.
  var reason: String
  /// The fields without hop-by-hop ones, with what later 304 answers changed.
  var fields: [HeaderField]
  /// When the request was sent, in seconds since 1970.
  var requestTime: Double
  /// When the answer's head came, in seconds since 1970.
  var responseTime: Double
  /// The values that the request had for the fields that the answer varies by; nil where it had none.
  var selection: [Selection]
  /// The body's bytes.
  var digest: ContentDigest

  /// A request field that chose this variant.
  struct Selection: Sendable, Hashable {
    /// In lower case.
    var name: String
    /// Normalised; nil where the request had no such field.
    var value: String?
  }

  /// The `Cache-Control` directives.
  var cacheControl: CacheControl { CacheControl(fields) }

  /// What the answer's `Last-Modified` or `ETag` allow to ask (RFC 9110 §13): both, where both are there, as they were sent.
  var conditionals: [HeaderField] {
    var conditionals: [HeaderField] = []
    if let tag = fields.first("ETag"), !tag.isEmpty { conditionals.append(HeaderField("If-None-Match", tag)) }
    if let date = fields.first("Last-Modified"), !date.isEmpty {
      conditionals.append(HeaderField("If-Modified-Since", date))
    }
    return conditionals
  }
}
