/// Finds the known name closest to a misspelled one.
package enum NearestName {
  /// The name in `known` with the smallest edit distance to `name`; nil if the distance is too large for a typo.
  package static func of(_ name: String, in known: some Sequence<String>) -> String? {
    // A text that long is not a typo, and the comparison takes time proportional to the product of the lengths.
    guard name.utf8.count <= longest else { return nil }
    let bytes = lowercase(name)
    var closest: String?
    var allowed = max(1, name.count / 3)
    for candidate in known where candidate.utf8.count <= longest {
      guard let distance = distance(bytes, candidate, atMost: allowed) else { continue }
      if let current = closest, distance == allowed, current <= candidate { continue }
      closest = candidate
      allowed = distance
    }
    return closest
  }

  /// The longest name to compare, in bytes of UTF-8.
  private static let longest = 100

  /// " (did you mean 'circle'?)", or an empty text if no candidate is close: by edit distance, or else because it
  /// contains the name (`inputIntensity` contains `intensity`).
  package static func suggestion(for name: String, among candidates: some Sequence<String>) -> String {
    guard name.utf8.count <= longest else { return "" }
    let candidates = Array(candidates)
    return (of(name, in: candidates) ?? shortest(of: candidates, containing: lowercase(name)))
      .map { " (did you mean '\($0)'?)" } ?? ""
  }

  /// The shortest candidate that contains a text in lower case; nil for a text of less than four bytes.
  private static func shortest(of candidates: [String], containing text: [UInt8]) -> String? {
    guard text.count >= 4 else { return nil }
    return candidates.filter { candidate in
      guard candidate.utf8.count >= text.count else { return false }
      let bytes = lowercase(candidate)
      return (0...bytes.count - text.count).contains { bytes[$0...].starts(with: text) }
    }
    .min { ($0.count, $0) < ($1.count, $1) }
  }

  /// `; did you mean 'circle'?`, or an empty text if no candidate is close.
  package static func question(_ name: String, among candidates: some Sequence<String>) -> String {
    of(name, in: candidates).map { "; did you mean '\($0)'?" } ?? ""
  }

  /// The number of insertions, deletions, substitutions and transpositions of adjacent bytes between two texts
  /// (optimal string alignment distance); nil if it is more than `limit`.
  ///
  /// A manifest may have thousands of unknown names, each compared with hundreds of known ones: names whose lengths
  /// differ too much are passed over first, and a comparison ends at the first row above the limit.
  private static func distance(_ left: [UInt8], _ name: String, atMost limit: Int) -> Int? {
    guard abs(left.count - name.utf8.count) <= limit else { return nil }
    let right = lowercase(name)
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    var current = beforeLast
    for row in left.indices {
      current[0] = row + 1
      var smallest = current[0]
      for column in right.indices {
        var best = min(last[column + 1] + 1, current[column] + 1)
        best = min(best, last[column] + (left[row] == right[column] ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current[column + 1] = best
        smallest = min(smallest, best)
      }
      // No later row has a smaller value: a transposition reaches back two rows, but costs as much as a deletion.
      guard smallest <= limit else { return nil }
      (beforeLast, last, current) = (last, current, beforeLast)
    }
    return last[right.count] <= limit ? last[right.count] : nil
  }

  /// The bytes of a name with ASCII's letters in lower case.
  private static func lowercase(_ name: String) -> [UInt8] {
    name.utf8.map { 0x41...0x5a ~= $0 ? $0 | 0x20 : $0 }
  }
}
