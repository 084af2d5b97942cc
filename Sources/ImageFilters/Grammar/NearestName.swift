/// Finds what a person may have meant.
package enum NearestName {
  /// The name of `known` with the fewest edits to `name`, where that is few enough to be a slip of the finger.
  package static func of(_ name: String, in known: some Sequence<String>) -> String? {
    // Nothing that long is a slip of the finger, and comparing takes the product of the lengths.
    guard name.utf8.count <= longest else { return nil }
    let lowered = name.lowercased()
    return known.filter { $0.utf8.count <= longest }.map { ($0, distance(lowered, $0.lowercased())) }
      .filter { $0.1 <= max(1, lowered.count / 3) }
      .min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
  }

  /// In bytes.
  private static let longest = 100

  /// " (did you mean 'circle'?)", or nothing where no candidate is near. Near is what differs by some letters, or
  /// else what the name is a part of (`intensity` of `inputIntensity`).
  package static func suggestion(for name: String, among candidates: some Sequence<String>) -> String {
    guard name.utf8.count <= longest else { return "" }
    let lowered = name.lowercased()
    let candidates = Array(candidates)
    let near = of(name, in: candidates)
    let whole = candidates.filter { lowered.utf8.count >= 4 && $0.lowercased().contains(lowered) }
      .min { ($0.count, $0) < ($1.count, $1) }
    return (near ?? whole).map { " (did you mean '\($0)'?)" } ?? ""
  }

  /// Insertions, deletions, replacements and swaps of neighbours that make `left` into `right`.
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
