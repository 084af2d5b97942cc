/// Core Image's filters by their names.
enum CoreImageFilters {
  static let all: [FilterDefinition] = []
}
