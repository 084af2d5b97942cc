import ImageCaches
import ObjectStorage
import Synchronization
import SystemIO
import WebValues

/// A server of object storage: it checks signatures and the digests of uploads, keeps
/// what is put on it, serves objects with ranges, and lists them page by page.
public final class ObjectServer: Sendable {
  /// The access key that it knows.
  public static let environment = [
    "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    "AWS_SESSION_TOKEN": "t0k3n/+=", "AWS_REGION": "eu-west-1", "HOME": "/proc/none",
  ]

  private struct State {
    var objects: [String: [UInt8]] = [:]
    var fault: @Sendable (Request) -> Page? = { _ in nil }
    var pageLength = 1000
  }

  private final class Shared: Sendable {
    let state = Mutex(State())
  }

  /// The server behind it, which counts requests.
  public let server: LoopbackServer
  private let shared: Shared

  /// An empty server.
  public init() throws {
    let shared = Shared()
    self.shared = shared
    server = try LoopbackServer { request in
      if let page = shared.state.withLock({ $0.fault })(request) { return page }
      if let refusal = Self.refusal(of: request) { return Self.error(refusal, status: 403) }
      guard request.field("X-Amz-Content-Sha256") == ContentDigest(hashing: request.body).hex else {
        return Self.error("XAmzContentSHA256Mismatch", status: 400)
      }
      let path = PercentEncoding.decoded(request.path)
      if request.method == "PUT" {
        shared.state.withLock { $0.objects[path] = request.body }
        return Page()
      }
      return shared.state.withLock { state in
        if request.target.contains("list-type=2") { return Self.list(path, request, state) }
        guard let body = state.objects[path] else { return Self.error("NoSuchKey", status: 404) }
        return Self.page(body, request)
      }
    }
  }

  /// Stores an object.
  /// - Parameter path: `/bucket/key`.
  public func put(_ body: [UInt8], at path: String) { shared.state.withLock { $0.objects[path] = body } }

  /// What is stored, by `/bucket/key`.
  public var objects: [String: [UInt8]] {
    get { shared.state.withLock(\.objects) }
    set { shared.state.withLock { $0.objects = newValue } }
  }

  /// The number of requests with a method.
  public func count(_ method: String) -> Int { server.requests.count { $0.method == method } }

  /// Lists so many objects on a page.
  public func list(perPage length: Int) { shared.state.withLock { $0.pageLength = length } }

  /// Answers requests with other pages from now on; nil for the usual answer.
  public func inject(_ fault: @escaping @Sendable (Request) -> Page?) {
    shared.state.withLock { $0.fault = fault }
  }

  /// `http://127.0.0.1:PORT`.
  public var endpoint: String { server.url("") }

  /// The requests for a key, by the path as it was sent.
  public func requests(of path: String) -> [Request] { server.requests.filter { $0.path == path } }

  /// Ends the server.
  public func stop() { server.stop() }

  /// An error as S3 tells it.
  public static func error(_ code: String, status: Int, fields: [(name: String, value: String)] = []) -> Page
  {
    Page(
      Array("<?xml version=\"1.0\"?>\n<Error><Code>\(code)</Code><Message>Words.</Message></Error>".utf8),
      type: "application/xml", status: status, reason: "Error", fields: fields)
  }

  /// An object's answer, whole or the range that is asked for.
  public static func page(_ body: [UInt8], _ request: Request) -> Page {
    let tag = "\"\(body.count)-\(body.last ?? 0)\""
    let fields = [("ETag", tag), ("Accept-Ranges", "bytes")]
    if request.field("If-None-Match") == tag {
      return Page(status: 304, reason: "Not Modified", fields: fields)
    }
    guard let range = request.field("Range"), let start = Int(range.dropFirst("bytes=".count).dropLast())
    else {
      return Page(body, type: "binary/octet-stream", fields: fields)
    }
    return Page(
      Array(body[start...]), type: "binary/octet-stream", status: 206, reason: "Partial Content",
      fields: fields + [("Content-Range", "bytes \(start)-\(body.count - 1)/\(body.count)")])
  }

  /// The code for a wrong signature; nil for a right one.
  private static func refusal(of request: Request) -> String? {
    guard let given = request.field("Authorization"), let date = request.field("X-Amz-Date") else {
      return "AccessDenied"
    }
    let names =
      given.split(separator: "SignedHeaders=").last?.prefix { $0 != "," }.split(separator: ";") ?? []
    let query = request.target.contains("?") ? request.target.split(separator: "?", maxSplits: 1).last : nil
    let fields = names.map { HeaderField(String($0), request.field(String($0)) ?? "") }
    var signed = RequestSigner.Request(path: request.path, fields: fields)
    signed.query = String(query ?? "")
    signed.method = request.method
    signed.payload = request.field("X-Amz-Content-Sha256") ?? ""
    let key = AccessKey(
      id: environment["AWS_ACCESS_KEY_ID"] ?? "", secret: environment["AWS_SECRET_ACCESS_KEY"] ?? "")
    let right = RequestSigner(region: "eu-west-1").authorization(signed, date: date, by: key)
    guard request.field("X-Amz-Security-Token") == environment["AWS_SESSION_TOKEN"] else {
      return "InvalidToken"
    }
    return given == right ? nil : "SignatureDoesNotMatch"
  }

  private static func list(_ path: String, _ request: Request, _ state: State) -> Page {
    var parameters: [String: String] = [:]
    for part in request.target.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1)
      parameters[String(pair[0])] = PercentEncoding.decoded(pair.count > 1 ? pair[1] : "")
    }
    let bucket = path.hasSuffix("/") ? path : path + "/"
    let keys = state.objects.keys.filter {
      $0.utf8.starts(with: (bucket + (parameters["prefix"] ?? "")).utf8)
    }
    .map { String($0.dropFirst(bucket.count)) }.sorted()
    let start = parameters["continuation-token"].flatMap { Int($0.dropFirst(2)) } ?? 0
    let shown = keys.dropFirst(start).prefix(state.pageLength)
    let isLast = start + shown.count >= keys.count
    let contents = shown.map { key in
      let count = state.objects[bucket + key]?.count ?? 0
      return
        "<Contents><Key>\(PercentEncoding.encoded(key) { $0 <= 32 || $0 >= 127 || "+%&<".utf8.contains($0) })</Key>"
        + "<LastModified>2026-05-01T09:30:00.000Z</LastModified><ETag>&quot;e&quot;</ETag><Size>\(count)</Size></Contents>"
    }.joined()
    let next = isLast ? "" : "<NextContinuationToken>1/\(start + shown.count)</NextContinuationToken>"
    let text =
      "<?xml version=\"1.0\"?><ListBucketResult><EncodingType>url</EncodingType><IsTruncated>\(!isLast)</IsTruncated>\(next)"
      + "\(contents)</ListBucketResult>"
    return Page(Array(text.utf8), type: "application/xml")
  }
}
