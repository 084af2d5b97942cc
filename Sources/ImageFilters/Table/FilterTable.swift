/// Every filter there is. The parser, identifiers, `imagemill filters`, the manifest's schema, completions and
/// the manual are made from it, so that nothing about a filter is written twice.
public enum FilterTable {
  /// In the manual's order.
  public static let all: [FilterDefinition] =
    ResizingFilters.all + ShapeFilters.all + OrientationFilters.all + ToneFilters.all + EffectFilters.all
    + CompositionFilters.all + CoreImageFilters.all

  /// Definitions and the aliases' presets by lower-case name.
  private static let byName: [String: (definition: FilterDefinition, presets: [String: String])] = {
    var table: [String: (FilterDefinition, [String: String])] = [:]
    for definition in all {
      table[definition.name.lowercased()] = (definition, [:])
      for alias in definition.aliases { table[alias.name.lowercased()] = (definition, alias.presets) }
    }
    return table
  }()

  /// The filter that `name`, in any letter case, is a name or an alias of.
  public static func definition(named name: String) -> FilterDefinition? { entry(named: name)?.definition }

  static func entry(named name: String) -> (definition: FilterDefinition, presets: [String: String])? {
    byName[name.lowercased()]
  }

  /// Every name and alias, sorted.
  static let names: [String] = all.flatMap { [$0.name] + $0.aliases.map(\.name) }.sorted()
}
