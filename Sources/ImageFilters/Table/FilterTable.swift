/// All filters. The parser, identifiers, `imagemill filters`, the manifest schema, completions and the manual are
/// made from this table, so that they can't disagree.
public enum FilterTable {
  /// All definitions, in the manual's order.
  public static let all: [FilterDefinition] =
    ResizingFilters.all + ShapeFilters.all + OrientationFilters.all + ToneFilters.all + EffectFilters.all
    + CompositionFilters.all + CoreImageFilters.all

  /// Definitions with their alias's presets, by lower-case name or alias.
  private static let byName: [String: (definition: FilterDefinition, presets: [String: String])] = {
    var table: [String: (FilterDefinition, [String: String])] = [:]
    for definition in all {
      table[Spelling.normalized(definition.name)] = (definition, [:])
      for alias in definition.aliases { table[Spelling.normalized(alias.name)] = (definition, alias.presets) }
    }
    return table
  }()

  /// Finds a filter by its name or an alias, ignoring letter case.
  /// - Parameter name: The name, such as `scale` or `ScaledToSizeFilter`.
  /// - Returns: nil if no filter has the name.
  public static func definition(named name: String) -> FilterDefinition? { entry(named: name)?.definition }

  static func entry(named name: String) -> (definition: FilterDefinition, presets: [String: String])? {
    byName[name] ?? byName[Spelling.normalized(name)]
  }

  /// Every name and alias, sorted.
  static let names: [String] = all.flatMap { [$0.name] + $0.aliases.map(\.name) }.sorted()
}
