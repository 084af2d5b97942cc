/// Sums up what is wrong with many records: each mistake once, with how often it was found, and no more mistakes than
/// anyone reads.
package struct DiagnosticSums: Sendable {
  /// More different mistakes are only counted.
  package static let maximum = 20

  private struct Sum {
    var first: ManifestDiagnostic
    var others = 0
    var lastLine = 0
  }

  private var sums: [Sum] = []
  private var positions: [String: Int] = [:]
  /// Mistakes beyond the greatest number.
  private var uncounted = 0
  private var lastUncounted: ManifestDiagnostic?

  /// Nothing is wrong yet.
  package init() {}

  /// Whether nothing is wrong.
  package var isEmpty: Bool { sums.isEmpty }

  /// Takes in a mistake; whether it is one that nobody has been told of, and is to be told now.
  @discardableResult
  package mutating func note(_ diagnostic: ManifestDiagnostic) -> Bool {
    let key = "\(diagnostic.file)\u{0}\(diagnostic.message)"
    if let position = positions[key] {
      sums[position].others += 1
      sums[position].lastLine = diagnostic.line
      return false
    }
    guard sums.count < Self.maximum else {
      uncounted += 1
      lastUncounted = diagnostic
      return false
    }
    positions[key] = sums.count
    sums.append(Sum(first: diagnostic))
    return true
  }

  /// Each mistake at its first place, with the number of the others.
  package var diagnostics: [ManifestDiagnostic] {
    sums.map { sum in
      var diagnostic = sum.first
      if let others = Self.others(sum) { diagnostic.message += " (\(others))" }
      return diagnostic
    } + rest
  }

  /// What is left to say where each mistake has been told when it was noted.
  package var remainder: [ManifestDiagnostic] {
    sums.compactMap { sum in
      Self.others(sum).map { others in
        ManifestDiagnostic(
          file: sum.first.file, line: sum.first.line, column: sum.first.column,
          message: "\(others): \(sum.first.message)")
      }
    } + rest
  }

  private static func others(_ sum: Sum) -> String? {
    guard sum.others > 0 else { return nil }
    guard sum.lastLine != sum.first.line else { return "and \(sum.others) more like it" }
    return
      "the same in \(sum.others) more line\(sum.others == 1 ? "" : "s"), the last of them \(sum.lastLine)"
  }

  private var rest: [ManifestDiagnostic] {
    guard let last = lastUncounted else { return [] }
    return [
      ManifestDiagnostic(
        file: last.file, line: last.line, column: last.column,
        message: "\(uncounted) more lines are wrong, the last of them this one: \(last.message)")
    ]
  }
}
