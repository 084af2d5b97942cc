import ArgumentParser
import Manifests

/// Reads manifests and says what is wrong with them.
struct ValidateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate", abstract: "Read manifests and report every mistake; nothing else.",
    discussion: """
      Ends with 0 where all of them are right, else with 2.

        imagemill validate images.yaml
      """)

  @Argument(
    help: "Manifests; '-' is standard input (default: imagemill.yaml, .yml, .toml or .json here).",
    completion: .file(extensions: ManifestArguments.extensions))
  var manifests: [String] = []

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("The outputs' path for jobs that name none, such as a list's.", valueName: "template"))
  var output: String?

  @OptionGroup(title: "Manifest") var arguments: ManifestArguments

  func run() async throws {
    var isWrong = false
    var conflicts = RecordConflicts()
    let paths = try ManifestArguments.paths(manifests)
    for path in paths {
      do {
        isWrong = try await complain(of: path, amongOthers: paths.count > 1, &conflicts) || isWrong
      } catch let complaint as ManifestComplaint {
        complaint.print()
        isWrong = true
      }
    }
    if isWrong { throw ExitStatus.usage }
  }

  /// Whether a record of a list is wrong, or an output has a path of another manifest's; a document's own mistakes are
  /// thrown, all together.
  private func complain(
    of path: String, amongOthers: Bool, _ conflicts: inout RecordConflicts
  ) async throws -> Bool {
    var options = arguments.options(for: path)
    options.outputTemplate = try OutputOptions.template(output)
    var sums = DiagnosticSums()
    func tell(_ diagnostic: ManifestDiagnostic?) {
      if let diagnostic, sums.note(diagnostic) { StandardError.write("\(diagnostic)\n") }
    }
    switch try ManifestArguments.open(path, options) {
    case .lines(let jobs):
      for await record in jobs {
        switch record {
        case .success(let job): tell(conflicts.claim(job))
        case .failure(let diagnostic): tell(diagnostic)
        }
      }
    case .document(let manifest):
      guard amongOthers else { break }
      let place = manifest.outputDirectory ?? ManifestArguments.directory(of: path)
      for var job in manifest.jobs {
        job.outputDirectory = place
        tell(conflicts.claim(job))
      }
      for var rows in manifest.rows {
        rows.outputDirectory = place
        for case .success(let job) in rows { tell(conflicts.claim(job)) }
      }
    }
    for diagnostic in sums.remainder { StandardError.write("\(diagnostic)\n") }
    return !sums.isEmpty
  }
}
