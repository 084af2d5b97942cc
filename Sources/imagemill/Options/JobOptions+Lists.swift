import Glibc
import Manifests

/// A list or table that is streamed, with the options to read it.
struct ListFile: Sendable {
  let path: String
  let options: ManifestOptions

  /// The largest list that is read before anything starts. A longer one would delay the first download; its mistakes
  /// are failures of its records.
  private static let most = 16 << 20

  /// Every mistake in the list; empty for standard input, pipes and long lists, which are read once.
  func mistakes() async throws -> [ManifestDiagnostic] {
    guard path != "-", isShort, case .lines(let jobs) = try ManifestArguments.open(path, options) else {
      return []
    }
    var diagnostics: [ManifestDiagnostic] = []
    for await case .failure(let diagnostic) in jobs { diagnostics.append(diagnostic) }
    return diagnostics
  }

  private var isShort: Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && facts.st_size <= Self.most
  }
}

extension JobOptions {
  /// Reads the selection's lists once, so that their mistakes are told before anything starts.
  /// - Throws: `ManifestCommandError` with every mistake.
  func checkLists(of selection: JobSelection) async throws {
    let options = try manifestOptions()
    var sums = DiagnosticSums()
    for path in selection.listPaths {
      for diagnostic in try await ListFile(path: path, options: options(path)).mistakes() {
        sums.note(diagnostic)
      }
    }
    if !sums.isEmpty { throw ManifestCommandError(ManifestErrors(sums.diagnostics)) }
  }
}
