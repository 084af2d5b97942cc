import Curl

/// Which stored answer belongs to a request (RFC 9111 §4.1).
enum Vary {
  /// What of a request chose this answer; nil where `Vary: *` says that nothing ever will again.
  static func selection(of request: [HeaderField], for response: [HeaderField]) -> [StoredResponse.Selection]?
  {
    let names = Set(FieldList.members(of: response.values(of: "Vary")).map { $0.lowercased() })
    guard !names.contains("*") else { return nil }
    return names.sorted().map { StoredResponse.Selection(name: $0, value: normalized($0, in: request)) }
  }

  /// Whether the request has the values that the stored answer was chosen by.
  static func matches(_ selection: [StoredResponse.Selection], _ request: [HeaderField]) -> Bool {
    selection.allSatisfy { normalized($0.name, in: request) == $0.value }
  }

  /// The request's values of a field in one form: lines joined, blanks around members dropped, and, where order
  /// means nothing because weights say it, members sorted. An absent field isn't an empty one.
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
