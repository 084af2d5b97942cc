import Glibc
import Manifests

/// A list or table that is streamed, with the options to read it.
struct ListFile: Sendable {
  let path: String
  let options: ManifestOptions

  /// The largest list that is read before anything starts. A longer one would delay the first download; its mistakes
  /// are failures of its records.
  private static let most = 16 << 20

  /// The list's records; nil for standard input, pipes and long lists, which are read once.
  func records() throws -> LineJobs? {
    guard path != "-", isShort, case .lines(let jobs) = try ManifestArguments.open(path, options) else {
      return nil
    }
    return jobs
  }

  private var isShort: Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && facts.st_size <= Self.most
  }
}

extension JobOptions {
  /// The records of the selection's lists, read separately from those that the run reads. Standard input, pipes and long
  /// lists are left out.
  func recordsOfLists(of selection: JobSelection) throws -> [LineJobs] {
    // A list that others wait for is no stream.
    guard !selection.streams.isEmpty else { return [] }
    let options = try manifestOptions()
    return try selection.listPaths.compactMap { try ListFile(path: $0, options: options($0)).records() }
  }

  /// Reads the selection's lists once, so that their mistakes, also outputs with one path, are reported before anything
  /// starts.
  /// - Throws: `ManifestCommandError` with every mistake.
  private func readLists(of selection: inout JobSelection) async throws {
    guard !selection.listPaths.isEmpty else { return }
    var isWhole = true
    let options = try manifestOptions()
    var sums = DiagnosticSums()
    var conflicts = RecordConflicts()
    selection.claimOutputs(in: &conflicts)
    for path in selection.listPaths {
      guard let records = try ListFile(path: path, options: options(path)).records() else {
        isWhole = false
        continue
      }
      for await record in records {
        switch record {
        case .success(let job): selection.add(listed: job, &conflicts).map { _ = sums.note($0) }
        case .failure(let diagnostic): for mistake in diagnostic.each { sums.note(mistake) }
        }
      }
    }
    if !sums.isEmpty { throw ManifestCommandError(ManifestErrors(sums.diagnostics)) }
    selection.takeLists(isWhole: isWhole)
  }

  /// Opens every manifest, and reads documents and short lists to their ends, before anything starts.
  /// - Parameters:
  ///   - targets: The outputs to make, with what they need; empty for all.
  ///   - cache: The cache, which has the failures of the last run.
  /// - Throws: `ManifestCommandError` for mistakes in manifests, `CommandError` for those in options.
  func readWithLists(
    _ manifests: [String], targets: [String] = [], cache: CacheSettings
  ) async throws -> JobSelection {
    var selection = try open(manifests, cache: cache)
    try await readLists(of: &selection)
    try complete(&selection, targets: targets)
    return selection
  }
}
