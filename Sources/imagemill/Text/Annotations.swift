import Foundation
import ImageBatch
import ImageDownloads
import Manifests
import Reports

/// GitHub's annotations outside of a batch: mistakes in manifests and findings of checks.
///
/// They are written to standard error, which GitHub reads too, so that they never mix with results.
enum Annotations {
  /// The reporter for a workflow's environment.
  static func reporter(_ environment: [String: String], write: @escaping TextOutput) -> GitHubAnnotations {
    GitHubAnnotations(
      directory: FileManager.default.currentDirectoryPath, workspace: environment["GITHUB_WORKSPACE"],
      write: write)
  }

  /// Whether the command runs in a workflow.
  static let areRequested = ProcessInfo.processInfo.environment["GITHUB_ACTIONS"] == "true"

  private static let current: GitHubAnnotations? =
    areRequested ? reporter(ProcessInfo.processInfo.environment) { StandardError.write($0) } : nil

  /// Annotates a mistake in a manifest.
  static func add(_ diagnostic: ManifestDiagnostic) {
    let file = SecretText.hidden(in: diagnostic.file)
    let message = SecretText.hidden(in: diagnostic.message)
    current?.error(
      diagnostic.line > 0 ? message : "\(file): \(message)",
      at: ManifestLocation(file: file, line: diagnostic.line, column: diagnostic.column))
  }

  /// Annotates a finding of a check.
  static func add(_ message: String, at place: ManifestLocation?) {
    current?.error(SecretText.hidden(in: message), at: place)
  }
}
