package import ImageBatch
import SystemIO
import TerminalText

/// Annotates failures and warnings at their position in the manifest with GitHub's workflow commands.
///
/// The syntax is that of docs.github.com, "Workflow commands"; the escaping is that of actions/toolkit
/// (`packages/core/src/command.ts`).
package final class GitHubAnnotations: BatchReporter {
  private let write: TextOutput
  private let directory: String
  private let workspace: String?

  /// Creates a reporter.
  /// - Parameters:
  ///   - directory: The current directory, to which manifest paths are relative.
  ///   - workspace: The repository's root (`GITHUB_WORKSPACE`), to which annotated paths are relative.
  ///   - write: Writes to standard output, or to standard error if results go to standard output.
  package init(directory: String, workspace: String?, write: @escaping TextOutput) {
    self.directory = directory
    self.workspace = workspace
    self.write = write
  }

  /// Annotates warnings and failures. Outputs of a job that failed with the same error share one annotation.
  package func receive(_ event: BatchEvent) {
    switch event {
    case .jobFinished(let job):
      var said: Set<JobError> = []
      for output in job.outputs {
        guard let error = output.error, said.insert(error).inserted else { continue }
        annotate(
          "error", output.location,
          "\(error.source ?? output.source): \(error.stage.rawValue): \(error.message)")
      }
    case .warning(let warning):
      annotate(
        "warning", warning.location,
        [warning.source, warning.message].compactMap(\.self).joined(separator: ": "))
    default: break
    }
  }

  /// Annotates a mistake in a manifest or a finding of a check.
  package func error(_ message: String, at place: ManifestLocation?) { annotate("error", place, message) }

  private func annotate(_ kind: String, _ place: ManifestLocation?, _ message: String) {
    var properties: [String] = []
    if let place, place.file != "-" {
      properties.append("file=\(Self.escapedProperty(repositoryPath(place.file)))")
      // Line 0 is the file as a whole.
      if place.line > 0 {
        properties.append("line=\(place.line)")
        properties.append("col=\(place.column)")
      }
    }
    properties.append("title=imagemill")
    _ = write("::\(kind) \(properties.joined(separator: ","))::\(Self.escaped(message))\n")
  }

  private func repositoryPath(_ file: String) -> String {
    guard let workspace, !workspace.isEmpty else { return file }
    let path = Paths.relative(
      Paths.absoluteComponents(file, from: directory),
      to: Paths.absoluteComponents(workspace, from: directory))
    return path.isEmpty || path.first == ".." ? file : path.joined(separator: "/")
  }

  /// Escapes a message, and replaces control characters that the log would interpret.
  static func escaped(_ message: String) -> String {
    TerminalText.visible(message.escaping(["%": "%25", "\r": "%0D", "\n": "%0A"]))
  }

  static func escapedProperty(_ text: String) -> String {
    escaped(text).escaping([":": "%3A", ",": "%2C"])
  }
}
