import ImageFilters

extension KeyTable {
  /// Reports every key of `node` that is unknown, duplicate, missing, or has a value of the wrong form, recursively.
  /// - Parameter allowsOtherKeys: Whether unknown keys are accepted.
  func check(_ node: ManifestNode, allowsOtherKeys: Bool = false, log: inout DiagnosticLog) {
    guard let entries = node.entries else {
      return log.error(node.place, "\(title) must be a mapping, not \(node.kind)")
    }
    Self.checkDuplicates(entries, log: &log)
    let text = log.text
    var last: ManifestNode.Entry?
    for entry in entries {
      let previous = last
      // The rest of a value that a comma cut off is reported once.
      if self[entry.key] != nil || !QuotingHints.isBare(entry, in: text) { last = entry }
      if let key = self[entry.key] {
        if case .null = entry.value.value {
          let form = key.need ?? key.form.description
          log.error(
            entry.place,
            "'\(key.name)' has no value: it must be \(form)\(QuotingHints.comment(entry, in: text))")
        } else {
          Self.check(entry.value, is: key.form, for: "'\(key.name)'", at: entry.place, log: &log)
        }
      } else if !allowsOtherKeys {
        if let previous, let hint = QuotingHints.comma(entry, after: previous, in: entries, text) {
          if let hint = hint.first { log.error(entry.place, "unknown key '\(entry.key)' in \(title)\(hint)") }
          continue
        }
        let hint = NearestName.hint(entry.key, in: names)
        log.error(entry.place, "unknown key '\(entry.key)' in \(title)\(hint)")
      }
    }
    for key in keys where key.isRequired && node[key.name] == nil {
      if let other = key.unless, node[other] != nil { continue }
      let others = entries.filter { self[$0.key] == nil }
      let slip = NearestName.of(key.name, in: others.map(\.key))
      if let entry = others.first(where: { $0.key == slip }) {
        // If unknown keys are errors, this one has been reported already, with "did you mean".
        guard allowsOtherKeys else { continue }
        log.error(entry.place, "\(title) needs '\(key.name)' (is '\(entry.key)' a typo?)")
      } else {
        log.error(node.place, "\(title) needs '\(key.name)'" + (key.need.map { ": \($0)" } ?? ""))
      }
    }
  }

  static func duplicateMessage(_ name: String, at place: TextPlace, first: TextPlace?) -> String {
    let other = first.map { first in
      first.line == place.line
        ? " (first in column \(first.column))" : " (first in line \(first.line))"
    }
    return "duplicate key '\(name)'\(other ?? ""): remove one of them"
  }

  static func checkDuplicates(_ entries: [ManifestNode.Entry], log: inout DiagnosticLog) {
    var first: [String: TextPlace] = [:]
    for entry in entries {
      if let place = first[entry.key] {
        log.error(entry.place, duplicateMessage(entry.key, at: entry.place, first: place))
      } else {
        first[entry.key] = entry.place
      }
    }
  }

  private static func check(
    _ node: ManifestNode, is form: KeyForm, for name: String, at keyPlace: TextPlace, log: inout DiagnosticLog
  ) {
    if case .null = node.value {
      return log.error(keyPlace, "\(name) has no value: it must be \(form.description)")
    }
    func wrong(_ log: inout DiagnosticLog) {
      let isUnquoted = if case .text = form, node.scalar != nil { true } else { false }
      let text = log.text
      let hint = isUnquoted ? ": quote it" : QuotingHints.brace(node, in: text)
      log.error(node.place, "\(name) must be \(form.description), not \(node.kind)\(hint)")
    }
    switch form {
    case .text: if node.text == nil { wrong(&log) }
    case .scalar: if node.scalar == nil { wrong(&log) }
    case .choice(let names):
      guard let text = node.scalar else { return wrong(&log) }
      if !names.contains(text), !text.contains("{") {
        log.error(node.place, "\(name) must be \(form.description), not '\(text)'")
      }
    case .chain: if case .bool = node.value { wrong(&log) } else if case .number = node.value { wrong(&log) }
    case .textOrList:
      guard let list = node.list else { return node.text == nil ? wrong(&log) : () }
      if list.isEmpty { log.error(node.place, "\(name) is an empty list: it needs at least one string") }
      for element in list { check(element, is: .text, for: name, at: element.place, log: &log) }
    case .scalarOrList:
      guard let list = node.list else { return node.scalar == nil ? wrong(&log) : () }
      if list.isEmpty { log.error(node.place, "\(name) is an empty list: it needs at least one value") }
      for element in list { check(element, is: .scalar, for: name, at: element.place, log: &log) }
    case .list(let form):
      guard let list = node.list else { return wrong(&log) }
      if list.isEmpty { log.error(node.place, "\(name) is an empty list: it needs at least one member") }
      for element in list {
        check(element, is: form, for: "a member of \(name)", at: element.place, log: &log)
      }
    case .names(let form):
      guard let entries = node.entries else { return wrong(&log) }
      checkDuplicates(entries, log: &log)
      checkNames(entries, are: form, log: &log)
    case .object(let table):
      guard node.entries != nil else { return wrong(&log) }
      table.check(node, log: &log)
    }
  }

  /// Checks the values of a mapping with arbitrary keys. The rest of a value that a comma cut off is reported once.
  private static func checkNames(
    _ entries: [ManifestNode.Entry], are form: KeyForm, log: inout DiagnosticLog
  ) {
    let isList = if case .list = form { true } else { false }
    var last: ManifestNode.Entry?
    for (index, entry) in entries.enumerated() {
      func hint(at index: Int, after value: ManifestNode.Entry) -> [String]? {
        guard entries.indices.contains(index) else { return nil }
        return QuotingHints.comma(entries[index], after: value, in: entries, log.text, isList: isList)
      }
      if let last, let hint = hint(at: index, after: last) {
        guard let hint = hint.first else { continue }
        if isList {
          log.error(last.value.place, "'\(last.key)' must be a list\(hint)")
        } else {
          log.error(entry.place, "'\(entry.key)' has no value\(hint)")
        }
        continue
      }
      last = entry
      // A list without brackets is reported with its rest.
      if isList, hint(at: index + 1, after: entry) != nil { continue }
      check(entry.value, is: form, for: "'\(entry.key)'", at: entry.place, log: &log)
    }
  }
}
