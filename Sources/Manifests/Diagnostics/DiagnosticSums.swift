/// Summarizes the mistakes in many records: each once, with a count, and at most some of them.
package struct DiagnosticSums: Sendable {
  /// The number of different mistakes of records to report; further ones are only counted.
  package static let maximum = 20
  /// The same for a manifest, which people correct by hand.
  package static let maximumOfManifest = 200

  private struct Sum {
    var first: ManifestDiagnostic
    var others = 0
    var lastLine = 0
  }

  private var sums: [Sum] = []
  private var positions: [String: Int] = [:]
  private let maximum: Int
  /// The number of mistakes beyond the maximum.
  private var uncounted = 0
  private var lastUncounted: ManifestDiagnostic?

  /// Makes an empty summary.
  /// - Parameter maximum: The number of different mistakes to report. Default: ``maximum``.
  package init(maximum: Int = DiagnosticSums.maximum) { self.maximum = maximum }

  package var isEmpty: Bool { sums.isEmpty }

  /// Adds a mistake.
  /// - Returns: Whether the mistake is new and should be reported now.
  @discardableResult
  package mutating func note(_ diagnostic: ManifestDiagnostic) -> Bool {
    let key = "\(diagnostic.file)\u{0}\(diagnostic.message)"
    if let position = positions[key] {
      sums[position].others += 1
      sums[position].lastLine = diagnostic.line
      return false
    }
    guard sums.count < maximum else {
      uncounted += 1
      lastUncounted = diagnostic
      return false
    }
    positions[key] = sums.count
    sums.append(Sum(first: diagnostic))
    return true
  }

  /// Each mistake at its first place, with the number of further ones.
  package var diagnostics: [ManifestDiagnostic] {
    sums.map { sum in
      var diagnostic = sum.first
      if let others = Self.others(sum) { diagnostic.message += " (\(others))" }
      return diagnostic
    } + rest
  }

  /// The counts of further mistakes, for callers that reported each mistake when it was added.
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
    guard sum.lastLine != sum.first.line else { return "\(sum.others) more of the same" }
    return "same in \(sum.others) more line\(sum.others == 1 ? "" : "s"), last in line \(sum.lastLine)"
  }

  private var rest: [ManifestDiagnostic] {
    guard let last = lastUncounted else { return [] }
    let message =
      uncounted == 1
      ? "1 more line has mistakes: \(last.message)"
      : "\(uncounted) more lines have mistakes; the last is: \(last.message)"
    return [ManifestDiagnostic(file: last.file, line: last.line, column: last.column, message: message)]
  }
}
