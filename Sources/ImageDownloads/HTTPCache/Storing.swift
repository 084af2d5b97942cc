import Curl
import ImageCaches

extension StoredResponse {
  /// Whether an answer may be kept (RFC 9111 §3), as a private cache.
  ///
  /// An answer that can neither be fresh nor be validated is kept too: `--offline` and `stale-if-error` live on it.
  static func mayStore(status: Int, fields: [HeaderField], request: [HeaderField]) -> Bool {
    let control = CacheControl(fields)
    // A part of a body isn't the body, and a 304 has none.
    guard status >= 200, status != 206, status != 304, !CacheControl(request).has("no-store") else {
      return false
    }
    if control.has("must-understand") { return Self.heuristicStatuses.contains(status) }
    return !control.has("no-store")
  }

  /// An answer as it is kept; nil where `Vary: *` makes it of no use.
  init?(
    head: ResponseHead, request: [HeaderField], requestTime: Double, responseTime: Double,
    digest: ContentDigest
  ) {
    guard let selection = Vary.selection(of: request, for: head.fields) else { return nil }
    self.init(
      status: head.status, reason: head.reason, fields: HopByHop.removed(from: head.fields),
      requestTime: requestTime, responseTime: responseTime, selection: selection, digest: digest)
  }

  /// Brings the stored fields up to date with those of a 304 answer (RFC 9111 §3.2): a field that it has replaces every stored one of that name, but for those that describe the stored body.
  mutating func update(with validation: ResponseHead, requestTime: Double, responseTime: Double) {
    let bodyFields: Set<String> = ["content-length", "content-encoding", "content-range", "content-type"]
    let news = HopByHop.removed(from: validation.fields).filter { !bodyFields.contains($0.name.lowercased()) }
    for name in Set(news.map { $0.name.lowercased() }) { fields.remove(name) }
    // The Age of the old answer says nothing about the validated one.
    if validation.fields.first("Age") == nil { fields.remove("Age") }
    fields += news
    self.requestTime = requestTime
    self.responseTime = responseTime
  }

  /// Whether a 304 answer speaks of this stored one: one that names another strong `ETag` doesn't (RFC 9111 §4.3.4).
  func isConfirmed(by validation: ResponseHead) -> Bool {
    guard let tag = validation.fields.first("ETag"), !tag.hasPrefix("W/") else { return true }
    guard let own = fields.first("ETag") else { return true }
    return own == tag || own == "W/\(tag)"
  }

  /// The head as a client sees it: the stored fields with the present age (RFC 9111 §4).
  func servedHead(at now: Double) -> ResponseHead {
    var fields = fields
    fields.set("Age", String(Int(min(age(at: now), Double(CacheControl.longestTime)))))
    return ResponseHead(status: status, reason: reason, fields: fields)
  }
}

/// Fields that speak of one connection (RFC 9110 §7.6.1, RFC 9111 §3.1).
enum HopByHop {
  private static let names = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    "proxy-connection", "te", "transfer-encoding", "upgrade",
  ]

  /// The fields without those, nor those that `Connection` names.
  static func removed(from fields: [HeaderField]) -> [HeaderField] {
    let dropped = names + FieldList.members(of: fields.values(of: "Connection"))
    return fields.filter { field in !dropped.contains { field.isNamed($0) } }
  }
}
