import Curl
import ImageCaches

/// A response in the HTTP cache: its head, its times, and the request fields that select it. The body is an object in
/// the store.
struct StoredResponse: Sendable, Hashable {
  var status: Int
  var reason: String
  /// The fields without hop-by-hop ones, as updated by later 304 responses.
  var fields: [HeaderField]
  /// When the request was sent, in seconds since 1970.
  var requestTime: Double
  /// When the response was received, in seconds since 1970.
  var responseTime: Double
  /// The request's values of the fields in `Vary`.
  var selection: [Selection]
  /// The digest of the body.
  var digest: ContentDigest
  /// Whether the request, or one that was redirected to it, showed who the user is.
  var isPrivate = false

  /// A request field that selects this variant.
  struct Selection: Sendable, Hashable {
    /// The name in lower case.
    var name: String
    /// The normalized value; nil if the request had no such field.
    var value: String?
  }

  var cacheControl: CacheControl { CacheControl(fields) }

  /// The fields for a conditional request (RFC 9110 §13), from `ETag` and `Last-Modified` as received.
  var conditionals: [HeaderField] {
    var conditionals: [HeaderField] = []
    if let tag = fields.first("ETag"), !tag.isEmpty { conditionals.append(HeaderField("If-None-Match", tag)) }
    if let date = fields.first("Last-Modified"), !date.isEmpty {
      conditionals.append(HeaderField("If-Modified-Since", date))
    }
    return conditionals
  }
}
