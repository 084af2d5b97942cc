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
  /// - Parameters:
  ///   - host: The host of the URL, in lower case.
  ///   - usesDefault: Whether the default entry counts. Default: true. It doesn't for the target of a redirect, which the
  ///     server chooses.
  /// - Returns: nil if there is no entry or no login.
  public func credential(for host: String, usesDefault: Bool = true) -> OriginSettings.Credential? {
    let entry =
      entries.first { $0.machine == host } ?? (usesDefault ? entries.first { $0.machine == nil } : nil)
    guard let entry, let login = entry.login else { return nil }
    return OriginSettings.Credential(user: login, password: entry.password ?? "")
  }

  private mutating func setLast(_ field: WritableKeyPath<Entry, String?>, _ value: String?) {
    guard !entries.isEmpty else { return }
    entries[entries.count - 1][keyPath: field] = value
  }

  // Scalars: with `Character`, a combining mark would hide the quote or the blank before it.
  private static func tokens(_ text: String) -> [String] {
    var tokens: [String] = []
    var isInMacro = false
    // A value may be any word.
    var isValue = false
    for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
      // A macro ends at an empty line.
      if isInMacro {
        isInMacro = line.contains { !isBlank($0) }
        continue
      }
      var rest = line
      while let token = nextToken(&rest) {
        if token == "macdef", !isValue {
          isInMacro = true
          break
        }
        isValue = !isValue && ["machine", "login", "password", "account"].contains(token)
        tokens.append(token)
      }
    }
    return tokens
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar == "\t" || scalar == "\r"
  }

  private static func nextToken(_ rest: inout Substring.UnicodeScalarView) -> String? {
    rest = rest.drop(while: isBlank)
    guard let first = rest.first, first != "#" else { return nil }
    guard first == "\"" else {
      let token = rest.prefix { !isBlank($0) }
      rest = rest.dropFirst(token.count)
      return String(Substring(token))
    }
    rest.removeFirst()
    var token = String.UnicodeScalarView()
    while let scalar = rest.popFirst(), scalar != "\"" {
      token.append(scalar == "\\" ? rest.popFirst() ?? scalar : scalar)
    }
    return String(token)
  }
}
