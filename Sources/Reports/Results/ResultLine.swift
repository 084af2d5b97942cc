package import ImageBatch

/// The line that `pipe` prints for a finished output, without a line break.
package enum ResultLine {
  /// The output's path; nil for a failed output, which prints nothing.
  package static func text(_ result: OutputResult) -> String? {
    result.status == .failed ? nil : result.path ?? result.output
  }

  /// The JSON object that `pipe --json` prints. Every member is present, `null` if unknown, except `error`, which only
  /// failures have. `fields` contains the input's fields as written.
  /// - Parameter isWhole: Whether the object also has the members of a report's line, such as `path` and `seconds`.
  package static func json(_ result: OutputResult, isWhole: Bool = false) -> String {
    var json = JSONWriter()
    if isWhole { json.reportLine(result) } else { json.resultLine(result) }
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
