import ArgumentParser
import FoundationEssentials
import Manifests
import SystemIO

/// How manifests are read.
struct ManifestArguments: ParsableArguments {
  @Flag(help: "Let outputs and local sources lie outside their directories.")
  var allowOutside = false

  @Option(
    name: .customLong("env"),
    help: ArgumentHelp(
      "A variable that the manifest's origins may use as ${NAME}. Repeatable.", valueName: "name"))
  var environment: [String] = []

  /// The names that `run` and its like take where none is given.
  static let defaultNames = ["imagemill.yaml", "imagemill.yml", "imagemill.toml", "imagemill.json"]

  /// What manifests' names end in, without the dot.
  static let extensions = ["yaml", "yml", "toml", "json", "ndjson", "csv", "tsv", "txt", "gz"]

  /// The manifests to read: those given, or the current directory's own.
  static func paths(_ given: [String]) throws -> [String] {
    if !given.isEmpty { return given }
    guard let name = defaultNames.first(where: { File.exists($0) }) else {
      throw Complaint(
        .usage, "there is no manifest here; name one, or write one of \(defaultNames.joined(separator: ", "))"
      )
    }
    return [name]
  }

  /// How the manifest at `path` is read.
  func options(for path: String) -> ManifestOptions {
    var options = ManifestOptions()
    options.hints = Remedies.hints
    options.directory = Self.directory(of: path)
    options.allowsOutside = allowOutside
    let variables = ProcessInfo.processInfo.environment
    for name in environment { options.environment[name] = variables[name] }
    return options
  }

  /// Opens a manifest: a document is read to its end, and every mistake in it is complained of.
  static func open(_ path: String, _ options: ManifestOptions) throws -> ManifestInput {
    do throws(ManifestErrors) {
      return try ManifestInput(path: path, options)
    } catch {
      throw ManifestComplaint(error)
    }
  }

  /// What a manifest's relative paths are relative to.
  static func directory(of path: String) -> String {
    path == "-" ? "." : DirectoryEntry(path).directory
  }
}

/// Every mistake of a manifest.
struct ManifestComplaint: Error {
  let errors: ManifestErrors

  init(_ errors: ManifestErrors) { self.errors = errors }

  /// Tells all of them.
  func print() {
    var sums = DiagnosticSums()
    for diagnostic in errors.diagnostics where sums.note(diagnostic) {
      StandardError.write("\(diagnostic)\n")
    }
    for diagnostic in sums.remainder { StandardError.write("\(diagnostic)\n") }
  }
}
