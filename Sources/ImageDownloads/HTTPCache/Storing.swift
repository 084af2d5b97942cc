import Curl
import ImageCaches

extension StoredResponse {
  /// Whether a private cache may store a response (RFC 9111 §3).
  ///
  /// This includes responses that can be neither fresh nor validated: `--offline` and `stale-if-error` use them.
  static func mayStore(status: Int, fields: [HeaderField], request: [HeaderField]) -> Bool {
    let control = CacheControl(fields)
    // The body of a 206 is incomplete, and a 304 has none.
    guard status >= 200, status != 206, status != 304, !CacheControl(request).has("no-store") else {
      return false
    }
    if control.has("must-understand") { return Self.heuristicStatuses.contains(status) }
    return !control.has("no-store")
  }

  /// Creates a response to store; nil for `Vary: *`, which matches no later request.
  init?(
    head: ResponseHead, request: [HeaderField], requestTime: Double, responseTime: Double,
    digest: ContentDigest, salt: [UInt8]
  ) {
    guard let selection = Vary.selection(of: request, for: head.fields, salt: salt) else { return nil }
    self.init(
      status: head.status, reason: head.reason, fields: HopByHop.removed(from: head.fields),
      requestTime: requestTime, responseTime: responseTime, selection: selection, digest: digest)
  }

  /// Updates the stored fields from a 304 response (RFC 9111 §3.2), except for those that describe the body.
  mutating func update(with validation: ResponseHead, requestTime: Double, responseTime: Double) {
    let bodyFields: Set<String> = ["content-length", "content-encoding", "content-range", "content-type"]
    let news = HopByHop.removed(from: validation.fields).filter { !bodyFields.contains($0.name.lowercased()) }
    for name in Set(news.map { $0.name.lowercased() }) { fields.remove(name) }
    // The old Age doesn't apply to the validated response.
    if validation.fields.first("Age") == nil { fields.remove("Age") }
    fields += news
    self.requestTime = requestTime
    self.responseTime = responseTime
  }

  /// Whether a 304 response applies to this one: not if it has another strong `ETag` (RFC 9111 §4.3.4).
  func isConfirmed(by validation: ResponseHead) -> Bool {
    guard let tag = validation.fields.first("ETag"), !tag.hasPrefix("W/") else { return true }
    guard let own = fields.first("ETag") else { return true }
    return own == tag || own == "W/\(tag)"
  }

  /// The head to serve: the stored fields with the current age (RFC 9111 §4).
  func servedHead(at now: Double) -> ResponseHead {
    var fields = fields
    fields.set("Age", String(Int(min(age(at: now), Double(CacheControl.longestTime)))))
    return ResponseHead(status: status, reason: reason, fields: fields)
  }
}

/// Fields that apply to a single connection (RFC 9110 §7.6.1, RFC 9111 §3.1).
enum HopByHop {
  private static let names = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    "proxy-connection", "te", "transfer-encoding", "upgrade",
  ]

  /// Removes these fields, and those that `Connection` names.
  static func removed(from fields: [HeaderField]) -> [HeaderField] {
    let dropped = names + FieldList.members(of: fields.values(of: "Connection"))
    return fields.filter { field in !dropped.contains { field.isNamed($0) } }
  }
}
