import SystemIO

/// Reads `origins`, the only key whose values may use `${NAME}`.
struct OriginReader {
  /// The allowed variables, with their values.
  let environment: [String: String]
  /// The variables that are allowed and not set.
  var unset: Set<String> = []
  /// The hint for a variable that isn't allowed; `{}` is replaced by its name.
  var hint = ""

  func origins(_ node: ManifestNode?, log: inout DiagnosticLog) -> [ManifestOrigin] {
    var seen: [String: TextPlace] = [:]
    return (node?.entries ?? []).compactMap { entry in
      let origin = Self.origin(entry.key)
      if let origin {
        if let first = seen[origin] {
          log.error(entry.place, "duplicate origin (first in line \(first.line)): merge the settings")
        }
        seen[origin] = seen[origin] ?? entry.place
      } else {
        log.error(
          entry.place, "an origin must be 'https://HOST' or 'https://HOST:PORT', without user, path or query")
      }
      guard entry.value.entries != nil else { return nil }
      // The settings of a wrong origin are checked too.
      return settings(origin ?? entry.key, entry.value, log: &log)
    }
  }

  private func settings(_ origin: String, _ node: ManifestNode, log: inout DiagnosticLog) -> ManifestOrigin {
    var settings = ManifestOrigin(origin: origin, headers: [], user: nil, maxActive: nil)
    var names: Set<String> = []
    for entry in node["headers"]?.entries ?? [] {
      guard let value = filled(entry.value, log: &log) else { continue }
      if !Self.isToken(entry.key) {
        log.error(entry.place, "a header's name may contain only letters, digits and '-'")
      } else if !names.insert(entry.key.lowercased()).inserted {
        log.error(entry.place, "duplicate header (case is ignored)")
      } else if value.unicodeScalars.contains(where: {
        $0.properties.generalCategory == .control && $0 != "\t"
      }) {
        log.error(entry.value.place, "a header's value can't contain line breaks or other control characters")
      } else {
        settings.headers.append(.init(name: entry.key, value: value))
      }
    }
    if let user = node["user"] {
      settings.user = filled(user, log: &log)
      if let text = settings.user, !text.contains(":") {
        log.error(user.place, "'user' must be NAME:PASSWORD")
      }
    }
    if let node = node["max-active"], let text = node.scalar {
      settings.maxActive = Int(text).flatMap { $0 >= 1 ? $0 : nil }
      if settings.maxActive == nil {
        log.error(node.place, "'max-active' must be a whole number of 1 or more")
      }
    }
    return settings
  }

  /// The value with each `${NAME}` replaced; nil, with an error in the log, if that isn't possible.
  private func filled(_ node: ManifestNode, log: inout DiagnosticLog) -> String? {
    guard var rest = node.scalar?[...] else { return nil }
    var result = ""
    while let reference = EnvironmentUse.first(in: rest) {
      result += rest[..<reference.range.lowerBound]
      guard let value = environment[reference.name] else {
        log.error(
          node.place,
          unset.contains(reference.name)
            ? "the environment variable \(reference.name) isn't set: export it"
            : "'${\(reference.name)}' isn't allowed\(hint.replacing("{}", with: reference.name))")
        return nil
      }
      // A long variable could be repeated many times.
      guard result.utf8.count + value.utf8.count <= ExpansionBudget.header else {
        log.error(
          node.place,
          "the value is longer than \(ExpansionBudget.header) bytes with its variables filled in: shorten it")
        return nil
      }
      result += value
      rest = rest[reference.range.upperBound...]
    }
    if rest.contains("${") {
      log.error(
        node.place, "'${' begins a variable: write '${NAME}', with only letters, digits and '_' in the name")
      return nil
    }
    return result + rest
  }

  /// `scheme://host[:port]` in lower case, without the scheme's default port; nil if `text` isn't an origin.
  static func origin(_ text: String) -> String? {
    guard let url = URLReference(parsing: text), let scheme = url.scheme,
      scheme == "http" || scheme == "https",
      let authority = url.authority, !authority.isEmpty, !authority.contains("@"), url.host?.isEmpty == false,
      url.path.isEmpty || url.path == "/", url.query == nil, url.fragment == nil
    else { return nil }
    let defaultPort = scheme == "http" ? ":80" : ":443"
    let host = authority.lowercased()
    return "\(scheme)://" + (host.hasSuffix(defaultPort) ? String(host.dropLast(defaultPort.count)) : host)
  }

  /// Whether the name is a token (RFC 9110, section 5.6.2).
  private static func isToken(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
  }
}

/// Finds uses of `${NAME}`.
enum EnvironmentUse {
  static func first(in text: Substring) -> (name: String, range: Range<Substring.Index>)? {
    var search = text
    while let dollar = search.firstIndex(of: "$") {
      let after = search.index(after: dollar)
      if after < search.endIndex, search[after] == "{", let close = search[after...].firstIndex(of: "}") {
        let name = search[search.index(after: after)..<close]
        let isName =
          name.first.map { $0 == "_" || $0.isLetter } == true
          && name.allSatisfy { $0.isASCII && ($0 == "_" || $0.isLetter || $0.isNumber) }
        if isName { return (String(name), dollar..<search.index(after: close)) }
      }
      search = search[after...]
    }
    return nil
  }

  /// Reports every `${NAME}` outside `origins`.
  static func check(_ root: ManifestNode, log: inout DiagnosticLog) {
    for entry in root.entries ?? [] where entry.key != "origins" { check(value: entry.value, log: &log) }
  }

  private static func check(value: ManifestNode, log: inout DiagnosticLog) {
    switch value.value {
    case .text(let text):
      guard let use = first(in: text[...]) else { return }
      log.error(
        value.place(ofOffset: text.utf8.distance(from: text.startIndex, to: use.range.lowerBound)),
        "'${\(use.name)}': environment variables can be used only under 'origins'")
    case .list(let nodes): for node in nodes { check(value: node, log: &log) }
    case .mapping(let entries): for entry in entries { check(value: entry.value, log: &log) }
    case .null, .bool, .number: break
    }
  }
}

extension ManifestNode {
  /// The node with all places under `key` marked as secret.
  func hidingSecrets(under key: String) -> ManifestNode {
    guard let entries else { return self }
    var result = self
    result.value = .mapping(
      entries.map { entry in
        guard entry.key == key else { return entry }
        var hidden = entry
        hidden.value = entry.value.hidden()
        return hidden
      })
    return result
  }

  /// The node with all places in it marked as secret.
  func hidden() -> ManifestNode {
    var result = self
    result.place.isSecret = true
    result.textPlace?.isSecret = true
    switch value {
    case .list(let nodes): result.value = .list(nodes.map { $0.hidden() })
    case .mapping(let entries):
      result.value = .mapping(
        entries.map { entry in
          var place = entry.place
          place.isSecret = true
          return .init(key: entry.key, place: place, value: entry.value.hidden())
        })
    case .null, .bool, .number, .text: break
    }
    return result
  }
}
