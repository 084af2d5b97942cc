import Curl

/// Selects stored responses by the request fields that `Vary` names (RFC 9111 §4.1).
enum Vary {
  /// The request fields that select a response; nil for `Vary: *`, which matches no later request.
  static func selection(of request: [HeaderField], for response: [HeaderField]) -> [StoredResponse.Selection]?
  {
    let names = Set(FieldList.members(of: response.values(of: "Vary")).map { $0.lowercased() })
    guard !names.contains("*") else { return nil }
    return names.sorted().map { StoredResponse.Selection(name: $0, value: normalized($0, in: request)) }
  }

  /// Whether a request has the values that select a stored response.
  static func matches(_ selection: [StoredResponse.Selection], _ request: [HeaderField]) -> Bool {
    selection.allSatisfy { normalized($0.name, in: request) == $0.value }
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
