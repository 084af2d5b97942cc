import ImageFilters

extension NearestName {
  /// ` (did you mean 'NAME'?)`, or, where nothing is near, the list of what there is.
  static func hint(_ name: String, in known: [String]) -> String {
    if let nearest = of(name, in: known) { return " (did you mean '\(nearest)'?)" }
    return known.isEmpty ? "" : " (there are \(known.joined(separator: ", ")))"
  }
}
