import ImageDownloads
import ImageFilters

/// Reads a chain in any of its forms: `fill:100x100,circle`, a list of strings and mappings, or a mapping such as
/// `{fit: {width: 800, height: 600}, circle: {}}`.
struct ChainReader {
  let named: [String: FilterChain]
  var substitution: FieldSubstitution?

  /// The chain that `node` describes; nil, with an error in the log, if it is wrong.
  func chain(_ node: ManifestNode, log: inout DiagnosticLog) -> FilterChain? {
    switch node.value {
    case .text: return parsed(node, log: &log)
    case .list(let members):
      guard isShort(members.count, at: node.place, log: &log) else { return nil }
      let chains = members.map { member -> FilterChain? in
        switch member.value {
        case .text, .mapping: return chain(member, log: &log)
        default:
          log.error(member.place, "a member of a chain must be a string or a mapping, not \(member.kind)")
          return nil
        }
      }
      return joined(chains, at: node.place, log: &log)
    case .mapping(let entries):
      guard isShort(entries.count, at: node.place, log: &log) else { return nil }
      let chains = entries.map { filter($0, log: &log) }
      return joined(chains, at: node.place, log: &log)
    case .null, .bool, .number:
      return nil
    }
  }

  /// Whether a chain may have this many members; checked before any of them is read.
  private func isShort(_ count: Int, at place: TextPlace, log: inout DiagnosticLog) -> Bool {
    guard count > ChainLimits.steps else { return true }
    log.error(place, "the chain has \(count) members; the limit is \(ChainLimits.steps)")
    return false
  }

  /// The concatenated chains; nil if one is wrong, or the result is too long.
  private func joined(
    _ chains: [FilterChain?], at place: TextPlace, log: inout DiagnosticLog
  ) -> FilterChain? {
    let found = chains.compactMap(\.self)
    guard found.count == chains.count else { return nil }
    do {
      return try FilterChain(found)
    } catch {
      log.error(place, error.message)
      return nil
    }
  }

  private func parsed(_ node: ManifestNode, log: inout DiagnosticLog) -> FilterChain? {
    guard let (text, isAsWritten) = substituted(node, inChain: true, log: &log) else { return nil }
    do {
      return try FilterChain(parsing: text, named: named)
    } catch {
      for mistake in FilterChain.mistakes(in: text, named: named) {
        log.error(
          isAsWritten ? node.place(ofOffset: mistake.offset) : node.place,
          SecretText.hidden(in: mistake.message, about: text))
      }
      return nil
    }
  }

  private func filter(_ entry: ManifestNode.Entry, log: inout DiagnosticLog) -> FilterChain? {
    guard let arguments = arguments(of: entry, log: &log) else { return nil }
    do {
      return try FilterChain(name: entry.key, arguments: arguments, named: named)
    } catch {
      for mistake in FilterChain.mistakes(name: entry.key, arguments: arguments, named: named) {
        log.error(place(ofArgument: mistake.offset, of: entry), mistake.message)
      }
      return nil
    }
  }

  /// The place of an argument: its name's if it has one, and the entry's if `index` is nil.
  private func place(ofArgument index: Int?, of entry: ManifestNode.Entry) -> TextPlace {
    guard let index else { return entry.place }
    switch entry.value.value {
    case .mapping(let members): return members.indices.contains(index) ? members[index].place : entry.place
    case .list(let members): return members.indices.contains(index) ? members[index].place : entry.place
    default: return entry.value.place
    }
  }

  private func arguments(
    of entry: ManifestNode.Entry, log: inout DiagnosticLog
  ) -> [(key: String?, value: String)]? {
    switch entry.value.value {
    case .null: return []
    case .bool, .number, .text:
      return substituted(entry.value, inChain: false, log: &log).map { [(nil, $0.text)] }
    case .list(let members):
      let values = members.map { argument($0, log: &log) }
      let found = values.compactMap(\.self)
      return found.count == values.count ? found.map { (nil, $0) } : nil
    case .mapping(let members):
      let values = members.map { member in argument(member.value, log: &log).map { (member.key, $0) } }
      let found = values.compactMap(\.self)
      return found.count == values.count ? found.map { ($0.0, $0.1) } : nil
    }
  }

  private func argument(_ node: ManifestNode, log: inout DiagnosticLog) -> String? {
    guard node.scalar != nil else {
      log.error(node.place, "a filter's argument must be a string or a number, not \(node.kind)")
      return nil
    }
    return substituted(node, inChain: false, log: &log)?.text
  }

  private func substituted(
    _ node: ManifestNode, inChain: Bool, log: inout DiagnosticLog
  ) -> (text: String, isAsWritten: Bool)? {
    guard let text = node.scalar else { return nil }
    guard let substitution else { return (text, true) }
    do {
      let result = try substitution.applied(to: text, inChain: inChain)
      return (result, result == text)
    } catch {
      log.error(node.place(ofOffset: error.offset), error.message)
      return nil
    }
  }
}
