package import ImageBatch
import TerminalText

/// What standard error says of failures, warnings and, on request, of the rest, one line each, in GNU's form: the place in the manifest (else
/// the program's name), the kind, the source, the stage, the sentence.
package enum FailureMessage {
  /// `m.yaml:4:5: error: https://example.com/a.jpg: download: the server says 404 …`, one line for each failure of
  /// a job; what several outputs failed of is said once. No line ends.
  package static func lines(_ job: JobResult) -> [String] {
    var said: Set<JobError> = []
    return job.outputs.compactMap { output in
      guard let error = output.error, said.insert(error).inserted else { return nil }
      return line(output)
    }
  }

  /// One output's failure, nil where it didn't fail.
  package static func line(_ output: OutputResult) -> String? {
    guard let error = output.error else { return nil }
    return line(
      "error", output.location, [error.source ?? output.source, error.stage.rawValue, error.message])
  }

  /// Something that fails nothing.
  package static func line(_ warning: BatchWarning) -> String {
    line("warning", warning.location, [warning.source, warning.message].compactMap(\.self))
  }

  /// What became of an output that is in place, nil where it failed:
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

  /// Something that happened as it should.
  static func note(_ place: ManifestLocation?, _ parts: [String]) -> String { line("note", place, parts) }

  private static func line(_ kind: String, _ place: ManifestLocation?, _ parts: [String]) -> String {
    let origin = place.map { "\($0.file):\($0.line):\($0.column)" } ?? "imagemill"
    return TerminalText.visible("\(origin): \(kind): \(parts.joined(separator: ": "))")
  }
}
