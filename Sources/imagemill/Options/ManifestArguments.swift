import ArgumentParser
import FoundationEssentials
import ImageDownloads
import Manifests
import SystemIO

/// Options for reading manifests.
struct ManifestArguments: ParsableArguments {
  @Flag(
    help: "Allow outputs outside the output directory, and local sources outside the manifest's directory.")
  var allowOutside = false

  @Option(
    name: .customLong("env"),
    help: ArgumentHelp(
      "Environment variable that the manifest's origins may use as ${NAME}. Repeatable.", valueName: "name"))
  var environment: [String] = []

  /// The manifests that commands look for if none is given.
  static let defaultNames = ["imagemill.yaml", "imagemill.yml", "imagemill.toml", "imagemill.json"]

  /// File name extensions of manifests, without the dot.
  static let extensions = ["yaml", "yml", "toml", "json", "ndjson", "csv", "tsv", "txt", "gz"]

  /// Whether the current directory has a manifest.
  static var hasDefault: Bool { defaultNames.contains { File.exists($0) } }

  /// The manifests to read: those given, or the one in the current directory.
  static func paths(_ given: [String]) throws -> [String] {
    // As from "$UNSET" in a script.
    if given.contains("") {
      throw CommandError(.usage, "a manifest's path is empty: ''; name a file, or '-'")
    }
    if given.count(where: { $0 == "-" }) > 1 {
      throw CommandError(.usage, "standard input has one manifest: give '-' once")
    }
    if !given.isEmpty { return given }
    guard let name = defaultNames.first(where: { File.exists($0) }) else {
      throw CommandError(
        .usage,
        "no manifest found (\(defaultNames.joined(separator: ", "))); name one, or write one with 'imagemill init'"
      )
    }
    return [name]
  }

  /// The options for the manifest at `path`.
  func options(for path: String) -> ManifestOptions {
    var options = ManifestOptions()
    options.hints = Remedies.hints
    options.settings = Setting.known
    options.directory = Self.directory(of: path)
    options.allowsOutside = allowOutside
    let variables = ProcessInfo.processInfo.environment
    for name in environment { options.environment[name] = variables[name] }
    options.unsetVariables = Set(environment.filter { variables[$0] == nil })
    return options
  }

  /// Opens a manifest; a document is read to its end.
  /// - Throws: `ManifestCommandError` with every mistake in it.
  static func open(_ path: String, _ options: ManifestOptions) throws -> ManifestInput {
    StandardInput.announce("the manifest", of: path)
    do throws(ManifestErrors) {
      return try ManifestInput(path: path, options)
    } catch {
      throw ManifestCommandError(error)
    }
  }

  /// Opens several manifests, so that the mistakes of all are reported together.
  /// - Throws: `ManifestCommandError` with every mistake, or the first other error.
  static func open<Opened>(_ paths: [String], _ open: (String) throws -> Opened) throws -> [Opened] {
    var opened: [Opened] = []
    var mistakes: [ManifestDiagnostic] = []
    for path in paths {
      do {
        opened.append(try open(path))
      } catch let error as ManifestCommandError {
        mistakes += error.errors.diagnostics
      }
    }
    guard mistakes.isEmpty else { throw ManifestCommandError(ManifestErrors(mistakes)) }
    return opened
  }

  /// The directory that a manifest's relative paths start from.
  static func directory(of path: String) -> String {
    path == "-" ? "." : DirectoryEntry(path).directory
  }
}

extension CommandError {
  /// Mistakes in the options that make jobs of sources. They have no place in a file.
  init(options errors: ManifestErrors) {
    self.init(.usage, errors.diagnostics.map(\.message).joined(separator: "\n"))
  }
}

/// Every mistake in a manifest.
struct ManifestCommandError: Error {
  let errors: ManifestErrors

  init(_ errors: ManifestErrors) { self.errors = errors }

  /// Writes all of them to standard error.
  func print() {
    var sums = DiagnosticSums(maximum: DiagnosticSums.maximumOfManifest)
    var quotes = ManifestQuotes()
    for diagnostic in errors.diagnostics where sums.note(diagnostic) {
      StandardError.write(SecretText.hidden(in: "\(quotes.quoting(diagnostic))") + "\n")
      Annotations.add(diagnostic)
    }
    for diagnostic in sums.remainder { StandardError.write(SecretText.hidden(in: "\(diagnostic)") + "\n") }
  }
}
