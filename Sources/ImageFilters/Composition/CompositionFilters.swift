/// Filters that put two pictures together.
enum CompositionFilters {
  static let all: [FilterDefinition] = []
}
