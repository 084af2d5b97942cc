/// Finds the known name closest to a misspelled one.
package enum NearestName {
  /// The name in `known` with the smallest edit distance to `name`; nil if the distance is too large for a typo.
  package static func of(_ name: String, in known: some Sequence<String>) -> String? {
    // A text that long is not a typo, and the comparison takes time proportional to the product of the lengths.
    guard name.utf8.count <= longest else { return nil }
    let lowered = name.lowercased()
    return known.filter { $0.utf8.count <= longest }.map { ($0, distance(lowered, $0.lowercased())) }
      .filter { $0.1 <= max(1, lowered.count / 3) }
      .min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
  }

  /// The longest name to compare, in bytes of UTF-8.
  private static let longest = 100

  /// " (did you mean 'circle'?)", or an empty text if no candidate is close: by edit distance, or else because it
  /// contains the name (`inputIntensity` contains `intensity`).
  package static func suggestion(for name: String, among candidates: some Sequence<String>) -> String {
    guard name.utf8.count <= longest else { return "" }
    let lowered = name.lowercased()
    let candidates = Array(candidates)
    let near = of(name, in: candidates)
    let whole = candidates.filter { lowered.utf8.count >= 4 && $0.lowercased().contains(lowered) }
      .min { ($0.count, $0) < ($1.count, $1) }
    return (near ?? whole).map { " (did you mean '\($0)'?)" } ?? ""
  }

  /// `; did you mean 'circle'?`, or an empty text if no candidate is close.
  package static func question(_ name: String, among candidates: some Sequence<String>) -> String {
    of(name, in: candidates).map { "; did you mean '\($0)'?" } ?? ""
  }

  /// The number of insertions, deletions, substitutions and transpositions of adjacent bytes between two texts
  /// (optimal string alignment distance).
  private static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        var best = min(last[column + 1] + 1, current[column] + 1)
        best = min(best, last[column] + (left[row] == right[column] ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
