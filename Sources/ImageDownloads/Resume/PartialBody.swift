import Crypto
import Curl
import FoundationEssentials
import ImageCaches

/// The beginning of a body whose transfer broke off, and what makes sure that its rest belongs to it.
struct PartialBody: Sendable {
  var file: PartialFile
  /// The strong validator of the answer that the bytes come from.
  var validator: String
  /// The whole body's length, where it was announced.
  var total: Int?
  var received: Int
  var hasher: SHA256

  /// The fields that ask for the rest, if the representation is still the same (RFC 9110 §13.1.5, §14.2).
  ///
  /// Not libcurl's own resume: it takes a whole body of another representation for the rest where the lengths happen to fit.
  var fields: [HeaderField] {
    [HeaderField("Range", "bytes=\(received)-"), HeaderField("If-Range", validator)]
  }
}

/// What an answer to a request for the rest of a body turns out to be.
enum RangeOutcome: Hashable, Sendable {
  /// The rest: it goes behind what is there.
  case rest
  /// A whole body, of this or another representation: what is there goes.
  case whole
  /// Nothing that fits: what is there goes, and the request is sent again without `Range`.
  case restart

  /// Judges the head of the answer. The fields count, not the status alone: some servers answer a range with 200.
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
  /// nil where it is `*`.
  var total: Int?

  init?(_ field: String) {
    let parts = field.split(separator: " ", maxSplits: 1)
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

/// Which validators may vouch for a range.
enum StrongValidator {
  /// The strong `ETag`, else the `Last-Modified` if it is a minute older than the answer (RFC 9110 §8.8.2.2).
  static func find(in fields: [HeaderField], now: Int) -> String? {
    if let tag = fields.first("ETag") { return tag.hasPrefix("\"") ? tag : nil }
    guard let modified = fields.first("Last-Modified"), let time = HTTPDate.parse(modified, now: now),
      let date = fields.first("Date").flatMap({ HTTPDate.parse($0, now: now) }), date - time >= 60
    else { return nil }
    return modified
  }
}
