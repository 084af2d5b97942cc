import Crypto
import Curl
import ImageCaches

/// Selects stored responses by the request fields that `Vary` names (RFC 9111 §4.1).
enum Vary {
  /// The request fields that select a response; nil for `Vary: *`, which matches no later request.
  /// - Parameter salt: The cache's secret. Values that may be credentials are stored as keyed hashes.
  static func selection(
    of request: [HeaderField], for response: [HeaderField], salt: [UInt8]
  ) -> [StoredResponse.Selection]? {
    let names = Set(FieldList.members(of: response.values(of: "Vary")).map { $0.lowercased() })
    guard !names.contains("*") else { return nil }
    return names.sorted().map { StoredResponse.Selection(name: $0, value: value(of: $0, in: request, salt)) }
  }

  /// Whether a request has the values that select a stored response.
  static func matches(
    _ selection: [StoredResponse.Selection], _ request: [HeaderField], salt: [UInt8]
  ) -> Bool {
    selection.allSatisfy { value(of: $0.name, in: request, salt) == $0.value }
  }

  /// Fields whose values are no secrets, and are stored as they are.
  private static let plain: Set = [
    "accept", "accept-language", "accept-encoding", "accept-charset", "user-agent", "range", "origin", "te",
  ]

  private static func value(of name: String, in request: [HeaderField], _ salt: [UInt8]) -> String? {
    let value = normalized(name, in: request)
    guard let value, !plain.contains(name) else { return value }
    let code = HMAC<SHA256>.authenticationCode(for: Array(value.utf8), using: SymmetricKey(data: salt))
    return ContentDigest(hashing: Array(code)).hex
  }

  /// The request's normalized value of a field: lines are joined and members trimmed. Members with weights are also
  /// sorted, because their order is insignificant. nil for an absent field, which differs from an empty one.
  private static func normalized(_ name: String, in request: [HeaderField]) -> String? {
    let lines = request.values(of: name)
    guard !lines.isEmpty else { return nil }
    let members = FieldList.members(of: lines)
    switch name {
    case "accept", "accept-language", "accept-encoding", "accept-charset":
      return members.map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }.sorted().joined(
        separator: ",")
    default:
      return members.joined(separator: ",")
    }
  }
}
