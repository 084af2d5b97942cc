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
    for path in try ManifestArguments.paths(manifests) {
      do {
        isWrong = try await complain(of: path) || isWrong
      } catch let complaint as ManifestComplaint {
        complaint.print()
        isWrong = true
      }
    }
    if isWrong { throw ExitStatus.usage }
  }

  /// Whether a record of a list is wrong; a document's mistakes are thrown, all together.
  private func complain(of path: String) async throws -> Bool {
    var options = arguments.options(for: path)
    options.outputTemplate = try OutputOptions.template(output)
    guard case .lines(let jobs) = try ManifestArguments.open(path, options) else { return false }
    var isWrong = false
    var conflicts = RecordConflicts()
    for await record in jobs {
      let complaint: ManifestDiagnostic? =
        switch record {
        case .success(let job): conflicts.claim(job)
        case .failure(let diagnostic): diagnostic
        }
      guard let complaint else { continue }
      StandardError.write("\(complaint)\n")
      isWrong = true
    }
    return isWrong
  }
}
