import ImageFilters

extension NearestName {
  /// ` (did you mean 'NAME'?)`, or the known names, each once, if none is similar.
  static func hint(_ name: String, in known: [String]) -> String {
    if let nearest = of(name, in: known) { return " (did you mean '\(nearest)'?)" }
    var seen: Set<String> = []
    let known = known.filter { seen.insert($0).inserted }
    return known.isEmpty ? "" : " (known: \(known.joined(separator: ", ")))"
  }
}
