import ImageFilters

extension NearestName {
  /// ` (did you mean 'NAME'?)`, or the known names if none is similar.
  static func hint(_ name: String, in known: [String]) -> String {
    if let nearest = of(name, in: known) { return " (did you mean '\(nearest)'?)" }
    return known.isEmpty ? "" : " (known: \(known.joined(separator: ", ")))"
  }
}
