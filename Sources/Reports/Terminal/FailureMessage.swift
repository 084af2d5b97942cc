public import ImageBatch
import TerminalText

/// What standard error says of failures and warnings, one line each, in GNU's form: the place in the manifest (else
/// the program's name), the kind, the source, the stage, the sentence.
public enum FailureMessage {
  /// `m.yaml:4:5: error: https://example.com/a.jpg: download: the server says 404 …`, one line for each failure of
  /// a job; what several outputs failed of is said once. No line ends.
  public static func lines(_ job: JobResult) -> [String] {
    var said: Set<JobError> = []
    return job.outputs.compactMap { output in
      guard let error = output.error, said.insert(error).inserted else { return nil }
      return line(output)
    }
  }

  /// One output's failure, nil where it didn't fail.
  public static func line(_ output: OutputResult) -> String? {
    guard let error = output.error else { return nil }
    return line("error", output.location, [output.source, error.stage.rawValue, error.message])
  }

  /// Something that fails nothing.
  public static func line(_ warning: BatchWarning) -> String {
    line("warning", warning.location, [warning.source, warning.message].compactMap(\.self))
  }

  private static func line(_ kind: String, _ place: ManifestLocation?, _ parts: [String]) -> String {
    let origin = place.map { "\($0.file):\($0.line):\($0.column)" } ?? "imagemill"
    return TerminalText.visible("\(origin): \(kind): \(parts.joined(separator: ": "))")
  }
}
