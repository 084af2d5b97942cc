/// One filter of a chain with its arguments.
struct FilterStep: Hashable, Sendable {
  /// The canonical name of a filter that runs on frames, not of one that expands to a chain; or the identifier of a
  /// program's own filter.
  let name: String
  let arguments: FilterArguments
  /// A program's own filter, which isn't in the table.
  let custom: (any ImageFilter)?
  /// `name:key=value…` with every parameter that has a value, in the filter table's order. Stored, because every chain
  /// that is combined from the step needs it again.
  let identifier: String

  init(name: String, arguments: FilterArguments) {
    self.name = name
    self.arguments = arguments
    custom = nil
    identifier = Self.identifier(name, arguments)
  }

  /// A program's own filter.
  init(custom filter: any ImageFilter) {
    name = filter.identifier
    arguments = FilterArguments(filter: name, values: [])
    custom = filter
    identifier = name
  }

  /// The filter's definition; nil for a program's own filter, even one with the name of a filter of the table.
  var definition: FilterDefinition? { custom == nil ? FilterTable.definition(named: name) : nil }

  /// What a pipeline may assume about the filter; nil for a program's own.
  var traits: FilterDefinition.FrameTraits? {
    if case .frame(let traits, _)? = definition?.behavior { traits } else { nil }
  }

  /// The step with other argument values. A program's own filter has no arguments here, and stays as it is.
  func replacing(_ values: [FilterArguments.Entry]) -> FilterStep {
    custom == nil
      ? FilterStep(name: name, arguments: FilterArguments(filter: arguments.filter, values: values)) : self
  }

  private static func identifier(_ name: String, _ arguments: FilterArguments) -> String {
    var text = name
    for entry in arguments.values { text += ":\(entry.key)=\(entry.value.identifier)" }
    return text
  }

  /// Own filters are equal by their identifiers, as in caches, but never equal to a filter of the table.
  static func == (left: FilterStep, right: FilterStep) -> Bool {
    left.name == right.name && left.arguments == right.arguments
      && (left.custom == nil) == (right.custom == nil)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(arguments)
  }
}
