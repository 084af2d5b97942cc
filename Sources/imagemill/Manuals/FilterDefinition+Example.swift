import ImageFilters

extension FilterDefinition {
  /// A complete command that uses the filter: with `--source` for a second image, and quoted for the shell.
  var exampleCommand: String {
    let chain = example.contains(" ") ? "'\(example)'" : example
    var command = "imagemill convert in.jpg -f \(chain) \(exampleOutput)"
    if case .source = parameters.first?.type {
      let words = example.split(separator: ":")
      if words.count > 1 { command += " --source \(words[1])=\(words[1]).png" }
    }
    return command
  }

  /// The filter's other names, a sentence without its period for those that have the same defaults.
  var otherNames: [String] {
    var groups: [(defaults: [String], names: [String])] = []
    for alias in aliases {
      let defaults = parameters.compactMap { parameter -> String? in
        guard let value = alias.presets[parameter.name], value != parameter.defaultText else { return nil }
        return "\(parameter.displayName)=\(value)"
      }
      if let index = groups.firstIndex(where: { $0.defaults == defaults }) {
        groups[index].names.append(alias.name)
      } else {
        groups.append((defaults: defaults, names: [alias.name]))
      }
    }
    return groups.map { group in
      let text = "Also called " + group.names.joined(separator: ", ")
      guard !group.defaults.isEmpty else { return text }
      let names = group.names.count == 1 ? "this name" : "these names"
      let verb = group.defaults.count == 1 ? "default is" : "defaults are"
      return text + ". With \(names), the \(verb) " + group.defaults.joined(separator: " and ")
    }
  }

  /// Which parameters can't all be left out; nil if there is no such rule.
  var requirement: String? {
    guard needsOneOf.count > 1, let last = needsOneOf.last else { return nil }
    return "At least one of \(needsOneOf.dropLast().joined(separator: ", ")) and \(last) is required."
  }
}
