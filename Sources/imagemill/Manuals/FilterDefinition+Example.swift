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

  /// Which parameters can't all be left out; nil if there is no such rule.
  var requirement: String? {
    guard needsOneOf.count > 1, let last = needsOneOf.last else { return nil }
    return "At least one of \(needsOneOf.dropLast().joined(separator: ", ")) and \(last) is required."
  }
}
