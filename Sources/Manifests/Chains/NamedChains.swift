import ImageFilters

/// Resolves a manifest's `filters`: chains that may use one another, without cycles.
struct NamedChains {
  private let definitions: [String: ManifestNode.Entry]
  private var resolved: [String: FilterChain] = [:]
  private var failed: Set<String> = []

  /// The chains of `node`, by name in lower case.
  static func read(_ node: ManifestNode?, log: inout DiagnosticLog) -> [String: FilterChain] {
    let entries = node?.entries ?? []
    let builtIn = Set(FilterChain.knownNames.map { $0.lowercased() })
    var definitions: [String: ManifestNode.Entry] = [:]
    // The last entry with a value, which an unquoted comma may have cut.
    var last: ManifestNode.Entry?
    for entry in entries {
      let name = entry.key.lowercased()
      // The table of keys has reported it.
      if let last, QuotingHints.comma(entry, after: last, in: entries, log.text) != nil { continue }
      last = entry
      if builtIn.contains(name) {
        log.error(entry.place, "'\(entry.key)' is a built-in filter: give the chain another name")
      } else if let problem = problem(withName: name) {
        log.error(entry.place, problem)
      } else if let first = definitions[name] {
        guard first.key != entry.key else { continue }
        log.error(
          entry.place,
          "'\(entry.key)' and '\(first.key)' are the same name, since case is ignored: rename one")
      } else {
        definitions[name] = entry
      }
    }
    var chains = NamedChains(definitions: definitions)
    for entry in entries { chains.resolve(entry.key.lowercased(), path: [], log: &log) }
    // Define broken chains as empty, so that outputs that use them aren't reported too.
    for name in chains.failed { chains.resolved[name] = FilterChain() }
    return chains.resolved
  }

  private init(definitions: [String: ManifestNode.Entry]) { self.definitions = definitions }

  private static func problem(withName name: String) -> String? {
    let isName =
      !name.isEmpty
      && name.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "-" || $0 == "_" || $0 == "."
      }
    return isName ? nil : "a chain's name may contain only letters, digits, '-', '_' and '.'"
  }

  private mutating func resolve(_ name: String, path: [String], log: inout DiagnosticLog) {
    guard let entry = definitions[name], resolved[name] == nil, !failed.contains(name) else { return }
    if let start = path.firstIndex(of: name) {
      let circle = (path[start...] + [name]).map { definitions[$0]?.key ?? $0 }
      log.error(entry.place, "the named chains form a cycle: \(circle.joined(separator: " → "))")
      failed.formUnion(path[start...])
      return
    }
    guard path.count < ExpansionBudget.nesting else {
      log.error(
        entry.place,
        "named chains are nested more than \(ExpansionBudget.nesting) deep at '\(entry.key)': inline some")
      failed.insert(name)
      return
    }
    let used = Self.namesUsed(in: entry.value)
    for other in used { resolve(other, path: path + [name], log: &log) }
    // Don't report a chain again that uses a broken one.
    guard !failed.contains(name), failed.isDisjoint(with: used) else {
      failed.insert(name)
      return
    }
    guard let chain = ChainReader(named: resolved).chain(entry.value, log: &log) else {
      failed.insert(name)
      return
    }
    guard log.budget.pay(named: chain) else {
      log.exceeded(entry.place)
      failed.insert(name)
      return
    }
    resolved[name] = chain
  }

  /// The filter names in a chain, in lower case.
  private static func namesUsed(in node: ManifestNode) -> [String] {
    switch node.value {
    case .text(let text):
      text.split(separator: ",").map { filter in
        let name = filter.prefix { $0 != ":" }
        return name.lowercased().trimmingSpaces
      }
    case .list(let members): members.flatMap(namesUsed)
    case .mapping(let entries): entries.map { $0.key.lowercased() }
    case .null, .bool, .number: []
    }
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
