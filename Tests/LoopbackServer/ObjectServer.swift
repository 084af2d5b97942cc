import Crypto
import ObjectStorage
import Synchronization
import SystemIO
import WebValues

/// A server of object storage: it checks signatures and digests, serves objects with ranges, lists them page by page, and
/// takes uploads, whole and in parts, under conditions.
public final class ObjectServer: Sendable {
  /// The access key that it knows.
  public static let environment = [
    "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    "AWS_SESSION_TOKEN": "t0k3n/+=", "AWS_REGION": "eu-west-1", "HOME": "/proc/none",
  ]

  private struct State {
    var kept = KeptObjects()
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
      let path = PercentEncoding.decoded(request.path)
      return shared.state.withLock { state in
        if request.target.contains("list-type=2") { return Self.list(path, request, state) }
        let parameters = Self.parameters(of: request)
        if let page = state.kept.answer(request, path: path, parameters: parameters) { return page }
        guard let object = state.kept.objects[path] else { return Self.error("NoSuchKey", status: 404) }
        return Self.page(object.body, request, fields: object.fields)
      }
    }
  }

  /// Stores an object.
  /// - Parameter path: `/bucket/key`.
  public func put(_ body: [UInt8], at path: String, fields: [String: String] = [:]) {
    shared.state.withLock { $0.kept.objects[path] = PutObject(body: body, fields: fields) }
  }

  /// The objects, by `/bucket/key`.
  public var objects: [String: PutObject] {
    get { shared.state.withLock(\.kept.objects) }
    set { shared.state.withLock { $0.kept.objects = newValue } }
  }

  /// The multipart uploads that were neither completed nor aborted, by their identifiers.
  public var uploads: [String: BegunUpload] {
    get { shared.state.withLock(\.kept.uploads) }
    set { shared.state.withLock { $0.kept.uploads = newValue } }
  }

  /// The number of requests with a method whose target has a text.
  public func count(_ method: String, having text: String = "") -> Int {
    server.requests.count { $0.method == method && (text.isEmpty || $0.target.contains(text)) }
  }

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
  public static func page(_ body: [UInt8], _ request: Request, fields kept: [String: String] = [:]) -> Page {
    let tag = PutObject(body: body).tag
    let more = kept.filter { $0.key != "content-type" }.map { ($0.key, $0.value) }
    let fields = [("ETag", tag), ("Accept-Ranges", "bytes")] + more
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
    let digest = SHA256.hash(data: request.body).map {
      String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
    }
    guard signed.payload == digest.joined() else { return "XAmzContentSHA256Mismatch" }
    let sent = request.fields.map { $0.name.lowercased() }.filter { $0.hasPrefix("x-amz-") }
    guard Set(sent).isSubset(of: names.map(String.init)) else { return "AccessDenied" }
    let key = AccessKey(
      id: environment["AWS_ACCESS_KEY_ID"] ?? "", secret: environment["AWS_SECRET_ACCESS_KEY"] ?? "")
    let right = RequestSigner(region: "eu-west-1").authorization(signed, date: date, by: key)
    guard request.field("X-Amz-Security-Token") == environment["AWS_SESSION_TOKEN"] else {
      return "InvalidToken"
    }
    return given == right ? nil : "SignatureDoesNotMatch"
  }

  private static func parameters(of request: Request) -> [String: String] {
    var parameters: [String: String] = [:]
    for part in request.target.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1)
      parameters[String(pair[0])] = PercentEncoding.decoded(pair.count > 1 ? pair[1] : "")
    }
    return parameters
  }

  private static func list(_ path: String, _ request: Request, _ state: State) -> Page {
    let parameters = parameters(of: request)
    let bucket = path.hasSuffix("/") ? path : path + "/"
    let keys = state.kept.objects.keys.filter {
      $0.utf8.starts(with: (bucket + (parameters["prefix"] ?? "")).utf8)
    }
    .map { String($0.dropFirst(bucket.count)) }.sorted()
    let start = parameters["continuation-token"].flatMap { Int($0.dropFirst(2)) } ?? 0
    let shown = keys.dropFirst(start).prefix(state.pageLength)
    let isLast = start + shown.count >= keys.count
    let contents = shown.map { key in
      let object = state.kept.objects[bucket + key] ?? PutObject(body: [])
      return
        "<Contents><Key>\(PercentEncoding.encoded(key) { $0 <= 32 || $0 >= 127 || "+%&<".utf8.contains($0) })</Key>"
        + "<LastModified>2026-05-01T09:30:00.000Z</LastModified><ETag>\(object.tag.split(separator: "\"").map { "&quot;\($0)&quot;" }.joined())</ETag>"
        + "<Size>\(object.body.count)</Size></Contents>"
    }.joined()
    let next = isLast ? "" : "<NextContinuationToken>1/\(start + shown.count)</NextContinuationToken>"
    let text =
      "<?xml version=\"1.0\"?><ListBucketResult><EncodingType>url</EncodingType><IsTruncated>\(!isLast)</IsTruncated>\(next)"
      + "\(contents)</ListBucketResult>"
    return Page(Array(text.utf8), type: "application/xml")
  }
}
