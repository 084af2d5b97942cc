/// Credentials by host, in the format of a netrc file.
public struct Netrc: Sendable, Hashable {
  private struct Entry: Sendable, Hashable {
    /// nil for `default`.
    var machine: String?
    var login: String?
    var password: String?
  }

  private var entries: [Entry] = []

  /// Parses `machine`, `default`, `login`, `password` and `account`. Macros are skipped, `#` starts a
  /// comment, and values may be in double quotes.
  /// - Parameter text: The file's text. Unknown words are ignored.
  public init(parsing text: String) {
    var tokens = Self.tokens(text)[...]
    while let token = tokens.popFirst() {
      switch token {
      case "machine": entries.append(Entry(machine: tokens.popFirst()?.lowercased() ?? ""))
      case "default": entries.append(Entry(machine: nil))
      case "login": setLast(\.login, tokens.popFirst())
      case "password": setLast(\.password, tokens.popFirst())
      case "account": _ = tokens.popFirst()
      default: break
      }
    }
  }

  /// The credential of the host's first entry, else of the default entry.
  /// - Parameter host: The host of the URL, in lower case.
  /// - Returns: nil if there is no entry or no login.
  public func credential(for host: String) -> OriginSettings.Credential? {
    let entry = entries.first { $0.machine == host } ?? entries.first { $0.machine == nil }
    guard let entry, let login = entry.login else { return nil }
    return OriginSettings.Credential(user: login, password: entry.password ?? "")
  }

  private mutating func setLast(_ field: WritableKeyPath<Entry, String?>, _ value: String?) {
    guard !entries.isEmpty else { return }
    entries[entries.count - 1][keyPath: field] = value
  }

  private static func tokens(_ text: String) -> [String] {
    var tokens: [String] = []
    var isInMacro = false
    // Swift treats CR LF as one Character, which is equal to neither.
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" }) {
      // A macro ends at an empty line.
      if isInMacro {
        isInMacro = !FieldList.trimmed(line).isEmpty
        continue
      }
      var rest = Substring(line)
      while let token = nextToken(&rest) {
        if token == "macdef" {
          isInMacro = true
          break
        }
        tokens.append(token)
      }
    }
    return tokens
  }

  private static func nextToken(_ rest: inout Substring) -> String? {
    rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "\r" }
    guard let first = rest.first, first != "#" else { return nil }
    guard first == "\"" else {
      let token = rest.prefix { $0 != " " && $0 != "\t" && $0 != "\r" }
      rest = rest.dropFirst(token.count)
      return String(token)
    }
    rest.removeFirst()
    var token = ""
    while let character = rest.popFirst(), character != "\"" {
      token.append(character == "\\" ? rest.popFirst() ?? character : character)
    }
    return token
  }
}
