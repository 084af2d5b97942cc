import SystemIO

/// Matching of paths, component by component.
extension GlobPattern {
  /// A position in one of the alternatives.
  struct State: Hashable {
    var alternative: Int
    var position: Int
  }

  /// The states below the root.
  var start: Set<State> { closure(Set(alternatives.indices.map { State(alternative: $0, position: 0) })) }

  /// Whether a file in this state matches.
  func isEnd(_ state: State) -> Bool { state.position == alternatives[state.alternative].count }

  /// The states that can be reached without a name: `**` may match no directory.
  private func closure(_ states: Set<State>) -> Set<State> {
    var result = states
    for var state in states {
      while !isEnd(state), alternatives[state.alternative][state.position] == .anyDirectories {
        state.position += 1
        result.insert(state)
      }
    }
    return result
  }

  /// The states after a name: those of components that match it, and those of `**`.
  func step(_ states: Set<State>, _ name: [UInt8]) -> (named: Set<State>, passed: Set<State>) {
    var (named, passed): (Set<State>, Set<State>) = ([], [])
    for state in states where !isEnd(state) {
      switch alternatives[state.alternative][state.position] {
      case .anyDirectories:
        if name.first != UInt8(ascii: ".") { passed.insert(state) }
      case .name(let tokens):
        guard tokens.matches(name) else { continue }
        named.insert(State(alternative: state.alternative, position: state.position + 1))
      }
    }
    return (closure(named), closure(passed))
  }

  /// Whether a file matches, by the components of its path after the root. The file system isn't looked at.
  func matches(_ components: [Substring]) -> Bool {
    var states = start
    for (index, component) in components.enumerated() {
      let (named, passed) = step(states, Array(component.utf8))
      states = named.union(passed)
      if index == components.count - 1 { return states.contains(where: isEnd) }
      states = states.filter { !isEnd($0) }
    }
    return false
  }
}

extension Paths {
  /// Whether a path comes before another one in a walk through directories, each of whose names are sorted by bytes.
  static func isBefore(_ path: String, _ other: String) -> Bool {
    components(path).lexicographicallyPrecedes(components(other)) {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
  }
}
