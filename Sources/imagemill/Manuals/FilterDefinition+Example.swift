import ImageFilters

extension FilterDefinition {
  /// A whole command that shows the filter: with a name for the other picture that it speaks of, and quoted where a
  /// shell would part it.
  var exampleCommand: String {
    let chain = example.contains(" ") ? "'\(example)'" : example
    var command = "imagemill convert in.jpg -f \(chain) \(exampleOutput)"
    if case .source = parameters.first?.type {
      let words = example.split(separator: ":")
      if words.count > 1 { command += " --source \(words[1])=\(words[1]).png" }
    }
    return command
  }
}
