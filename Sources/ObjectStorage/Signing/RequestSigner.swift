import Crypto
import SystemIO
package import WebValues

/// AWS Signature Version 4, in the `Authorization` field.
///
/// Paths are signed as they are, without removing `..` or joining slashes: that is Amazon S3's rule, since both may be
/// parts of a key.
package struct RequestSigner: Sendable {
  /// The region of the scope, such as `us-east-1`.
  package let region: String
  /// The service of the scope: `s3`.
  package let service: String

  package init(region: String, service: String = "s3") {
    self.region = region
    self.service = service
  }

  /// What is signed.
  package struct Request: Sendable {
    package var method = "GET"
    /// The path as it is sent.
    package var path: String
    /// The query as it is sent, without its question mark; empty for none.
    package var query = ""
    /// The fields to sign, `Host` and `X-Amz-Date` among them.
    package var fields: [HeaderField]
    /// The body's SHA-256 in hexadecimal, or `UNSIGNED-PAYLOAD`.
    package var payload = RequestSigner.emptyPayload

    package init(path: String, fields: [HeaderField]) {
      self.path = path
      self.fields = fields
    }
  }

  /// The SHA-256 of no bytes.
  package static let emptyPayload = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  /// The value of the `Authorization` field.
  /// - Parameter date: The value of the field `X-Amz-Date`, as by ``date(_:)``.
  package func authorization(_ request: Request, date: String, by key: AccessKey) -> String {
    let scope = "\(date.prefix(8))/\(region)/\(service)/aws4_request"
    let (canonical, names) = Self.canonical(request)
    let text = "AWS4-HMAC-SHA256\n\(date)\n\(scope)\n\(Self.hex(SHA256.hash(data: Array(canonical.utf8))))"
    var signing = SymmetricKey(data: Array("AWS4\(key.secret)".utf8))
    for part in [String(date.prefix(8)), region, service, "aws4_request"] {
      signing = SymmetricKey(
        data: HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: signing))
    }
    let signature = Self.hex(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: signing))
    return "AWS4-HMAC-SHA256 Credential=\(key.id)/\(scope), SignedHeaders=\(names), Signature=\(signature)"
  }

  /// The canonical request, and the names of its fields.
  package static func canonical(_ request: Request) -> (text: String, names: String) {
    var values: [String: [String]] = [:]
    for field in request.fields { values[field.name.lowercased(), default: []].append(trimmed(field.value)) }
    let sorted = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    let names = sorted.map(\.key).joined(separator: ";")
    let lines = sorted.map { "\($0.key):\($0.value.joined(separator: ","))\n" }.joined()
    let text = [
      request.method, path(request.path), query(request.query), lines, names, request.payload,
    ].joined(separator: "\n")
    return (text, names)
  }

  private static func path(_ path: String) -> String {
    let encoded = path.split(separator: "/", omittingEmptySubsequences: false).map(encoded).joined(
      separator: "/")
    return encoded.isEmpty ? "/" : encoded
  }

  private static func query(_ query: String) -> String {
    query.split(separator: "&").map { parameter in
      let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (name: encoded(parts[0]), value: parts.count > 1 ? encoded(parts[1]) : "")
    }.sorted {
      $0.name == $1.name
        ? $0.value.utf8.lexicographicallyPrecedes($1.value.utf8)
        : $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
    }.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
  }

  /// Everything except unreserved characters encoded, once.
  private static func encoded(_ text: Substring) -> String {
    PercentEncoding.encodedSegment(PercentEncoding.decoded(text))
  }

  /// The value without white space at its ends, and one space for each white space in it.
  private static func trimmed(_ value: String) -> String {
    value.split { $0 == " " || $0 == "\t" || $0.isNewline }.joined(separator: " ")
  }

  private static func hex(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
