import Crypto
import Curl
import FoundationEssentials
import ImageCaches

/// The beginning of a body whose transfer was interrupted, and the validator for requesting the rest.
struct PartialBody: Sendable {
  var file: PartialFile
  /// The strong validator of the interrupted response.
  var validator: String
  /// The length of the whole body, if known.
  var total: Int?
  var received: Int
  var hasher: SHA256

  /// The fields that request the rest if the representation is unchanged (RFC 9110 §13.1.5, §14.2).
  ///
  /// libcurl's own resume isn't used: if the lengths happen to fit, it takes a new body for the rest of the old one.
  var fields: [HeaderField] {
    [HeaderField("Range", "bytes=\(received)-"), HeaderField("If-Range", validator)]
  }
}

/// The kind of response to a request for the rest of a body.
enum RangeOutcome: Hashable, Sendable {
  /// The rest: append it.
  case rest
  /// A whole body, of this or another representation: discard the partial one.
  case whole
  /// An unusable response: discard the partial body and send the request again without `Range`.
  case restart

  /// Classifies a head by its fields and status: some servers send a range with status 200.
  init(_ head: ResponseHead, received: Int, total: Int?, validator: String) {
    guard let range = head.fields.first("Content-Range").flatMap(ContentRange.init) else {
      self = (200..<300).contains(head.status) && head.status != 206 ? .whole : .restart
      return
    }
    let isSame =
      if let tag = head.fields.first("ETag") {
        validator.hasPrefix("\"") ? tag == validator : true
      } else {
        true
      }
    let fits = range.first == received && (total == nil || range.total == nil || range.total == total)
    let isWhole = range.total.map { $0 == range.last + 1 } ?? true
    self = (200..<300).contains(head.status) && isSame && fits && isWhole ? .rest : .restart
  }
}

/// A `Content-Range` field (RFC 9110 §14.4) of the form `bytes 10-99/100`.
struct ContentRange: Hashable, Sendable {
  var first: Int
  var last: Int
  /// nil for `*`.
  var total: Int?

  init?(_ field: String) {
    let parts = field.split(separator: " ", maxSplits: 1)
    // `Int` would accept signs.
    guard !field.utf8.contains(UInt8(ascii: "+")) else { return nil }
    guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
    let pieces = parts[1].split(separator: "/", omittingEmptySubsequences: false)
    let bounds = pieces[0].split(separator: "-", omittingEmptySubsequences: false)
    guard pieces.count == 2, bounds.count == 2, let first = Int(bounds[0]), let last = Int(bounds[1]),
      first <= last
    else { return nil }
    if pieces[1] != "*" {
      guard let total = Int(pieces[1]), total > last else { return nil }
      self.total = total
    }
    self.first = first
    self.last = last
  }
}

/// Finds the validators that a range request may use.
enum StrongValidator {
  /// The strong `ETag`, else a `Last-Modified` at least a minute before the `Date` (RFC 9110 §8.8.2.2).
  static func find(in fields: [HeaderField], now: Int) -> String? {
    if let tag = fields.first("ETag") { return tag.hasPrefix("\"") ? tag : nil }
    guard let modified = fields.first("Last-Modified"), let time = HTTPDate.parse(modified, now: now),
      let date = fields.first("Date").flatMap({ HTTPDate.parse($0, now: now) }), date - time >= 60
    else { return nil }
    return modified
  }
}
