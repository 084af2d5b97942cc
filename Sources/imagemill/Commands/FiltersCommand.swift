import ArgumentParser
import ImageFilters
import Manifests

/// Lists the filters, from the table that also makes the parser.
struct FiltersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "filters", abstract: "List the filters, or show a filter's arguments and an example.",
    discussion: """
      A chain is a list of filters joined by commas. Arguments follow a filter's name after colons, positional ones \
      first.

        \(FilterTable.all.map(\.name).joined(separator: ", "))

        imagemill filters
        imagemill filters fill
      """)

  @Argument(help: "A filter, or the name of an AlamofireImage type.", completion: CompletionWords.filters)
  var name: String?

  @Flag(help: "Print only names, including aliases.")
  var names = false

  func run() throws {
    if let name {
      guard let filter = FilterTable.definition(named: name) else {
        let nearest = NearestName.question(name, among: FilterChain.knownNames)
        throw CommandError(
          .usage, "unknown filter '\(name)'\(nearest)\n  'imagemill filters' lists the filters.")
      }
      try StandardOutput.write(Self.description(of: filter))
    } else if names {
      try StandardOutput.write(FilterChain.knownNames.joined(separator: "\n") + "\n")
    } else {
      try StandardOutput.write(Self.overview)
    }
  }

  private static var overview: String {
    var text = ""
    for category in FilterDefinition.Category.allCases {
      let filters = FilterTable.all.filter { $0.category == category }
      if filters.isEmpty { continue }
      text += (text.isEmpty ? "" : "\n") + category.rawValue + "\n"
      let width = filters.map(\.name.count).max() ?? 0
      for filter in filters {
        text += "  \(filter.name.padded(to: width))  \(filter.summary)\n"
      }
    }
    return text + "\n'imagemill filters NAME' shows a filter's arguments.\n"
  }

  private static func description(of filter: FilterDefinition) -> String {
    var text = "\(usage(of: filter))\n\n\(filter.summary)\n"
    if let expansion = filter.expansion { text += "Same as \(expansion).\n" }
    if !filter.parameters.isEmpty {
      text += "\nArguments\n"
      let width = filter.parameters.map(\.displayName.count).max() ?? 0
      for parameter in filter.parameters {
        let fallback = parameter.displayDefault.map { " (default: \($0))" } ?? ""
        let need = parameter.isRequired ? " (required)" : ""
        text += "  \(parameter.displayName.padded(to: width))  \(parameter.summary)\(need)\(fallback)\n"
        text += "  \(String(repeating: " ", count: width))  \(parameter.type.summary)\n"
      }
    }
    if let requirement = filter.requirement { text += "\n\(requirement)\n" }
    if !filter.aliases.isEmpty {
      text += "\n" + filter.otherNames.map { $0 + "\n" }.joined()
    }
    return text + "\nExample\n  \(filter.exampleCommand)\n"
  }

  /// The filter's form, such as `fill:SIZE[:GRAVITY]…`.
  private static func usage(of filter: FilterDefinition) -> String {
    filter.parameters.reduce(filter.name) { text, parameter in
      let word = parameter.displayName.uppercased()
      return text + (parameter.isRequired ? ":\(word)" : "[:\(word)]")
    }
  }
}

extension String {
  /// The text, padded with spaces on the right.
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
