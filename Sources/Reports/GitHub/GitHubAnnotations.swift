package import ImageBatch
import SystemIO
import TerminalText

/// GitHub's workflow commands: failures and warnings at their place in the manifest.
/// Spelled as docs.github.com says under "Workflow commands", and escaped as actions/toolkit does
/// (`packages/core/src/command.ts`).
package final class GitHubAnnotations: BatchReporter {
  private let write: TextOutput
  private let directory: String
  private let workspace: String?

  /// Annotations name files from the repository's root, which `workspace` (`GITHUB_WORKSPACE`) is; manifests are
  /// named from `directory`, the current one. `write` is standard output, or standard error where results go there.
  package init(directory: String, workspace: String?, write: @escaping TextOutput) {
    self.directory = directory
    self.workspace = workspace
    self.write = write
  }

  /// Annotates failures, once for what several outputs of a job failed of, and warnings.
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

  private func annotate(_ kind: String, _ place: ManifestLocation?, _ message: String) {
    var properties: [String] = []
    if let place, place.file != "-" {
      properties.append("file=\(Self.escapedProperty(repositoryPath(place.file)))")
      properties.append("line=\(place.line)")
      properties.append("col=\(place.column)")
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

  /// Control characters that the log would obey are made visible.
  static func escaped(_ message: String) -> String {
    TerminalText.visible(message.escaping(["%": "%25", "\r": "%0D", "\n": "%0A"]))
  }

  static func escapedProperty(_ text: String) -> String {
    escaped(text).escaping([":": "%3A", ",": "%2C"])
  }
}
