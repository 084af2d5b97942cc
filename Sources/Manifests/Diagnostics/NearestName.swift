/// "Did you mean": the known name that is nearest to what was written.
package enum NearestName {
  /// The name of `known` with the fewest edits to `name`, where that is few enough to be a slip of the finger.
  package static func of(_ name: String, in known: some Sequence<String>) -> String? {
    let written = Array(name.lowercased())
    let best = known.map { (name: $0, distance: distance(written, Array($0.lowercased()))) }
      .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
    guard let best, best.distance <= max(1, written.count / 3) else { return nil }
    return best.name
  }

  /// ` (did you mean 'NAME'?)`, or, where nothing is near, the list of what there is.
  static func hint(_ name: String, in known: [String]) -> String {
    if let nearest = of(name, in: known) { return " (did you mean '\(nearest)'?)" }
    return known.isEmpty ? "" : " (there are \(known.joined(separator: ", ")))"
  }

  /// The optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
    var older = [Int](repeating: 0, count: right.count + 1)
    var previous = Array(0...right.count)
    for row in 1...left.count {
      var current = [row] + [Int](repeating: 0, count: right.count)
      for column in 1...right.count {
        let cost = left[row - 1] == right[column - 1] ? 0 : 1
        current[column] = min(previous[column] + 1, current[column - 1] + 1, previous[column - 1] + cost)
        if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
          current[column] = min(current[column], older[column - 2] + 1)
        }
      }
      older = previous
      previous = current
    }
    return previous[right.count]
  }
}
