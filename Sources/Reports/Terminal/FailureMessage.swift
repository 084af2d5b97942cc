package import ImageBatch
import TerminalText

/// Messages on standard error, one line each in GNU's format: the position in the manifest (or the program's name), the
/// kind, the source, the stage and the message.
package enum FailureMessage {
  /// A job's failures, without line breaks:
  /// `m.yaml:4:5: error: https://example.com/a.jpg: download: the server says 404 …`.
  ///
  /// Outputs that failed with the same error share one line.
  package static func lines(_ job: JobResult) -> [String] {
    var said: Set<JobError> = []
    return job.outputs.compactMap { output in
      guard let error = output.error, said.insert(error).inserted else { return nil }
      return line(output)
    }
  }

  /// An output's failure; nil if it didn't fail.
  package static func line(_ output: OutputResult) -> String? {
    guard let error = output.error else { return nil }
    // A record that isn't a job has no source; its place says all.
    if error.stage == .manifest, output.location != nil {
      return line("error", output.location, [error.message])
    }
    return line(
      "error", output.location, [error.source ?? output.source, error.stage.rawValue, error.message])
  }

  /// A warning.
  package static func line(_ warning: BatchWarning) -> String {
    line("warning", warning.location, [warning.source, warning.message].compactMap(\.self))
  }

  /// A successful output; nil if it failed:
  /// `m.yaml:4:5: note: https://example.com/a.jpg: written out/a.png, 90 × 60 png, 1.2 kB`.
  static func note(_ result: OutputResult) -> String? {
    guard result.status != .failed, let path = result.path ?? result.output else { return nil }
    var facts = "\(result.status.rawValue) \(path)"
    if let width = result.width, let height = result.height {
      facts += ", \(width) × \(height) \(result.format)"
    }
    if let bytes = result.bytes { facts += ", \(QuantityText.bytes(bytes))" }
    return note(result.location, [result.source, facts])
  }

  /// A note, for events that aren't problems.
  static func note(_ place: ManifestLocation?, _ parts: [String]) -> String { line("note", place, parts) }

  private static func line(_ kind: String, _ place: ManifestLocation?, _ parts: [String]) -> String {
    let origin = place?.text ?? "imagemill"
    return TerminalText.visible("\(origin): \(kind): \(parts.joined(separator: ": "))")
  }
}
