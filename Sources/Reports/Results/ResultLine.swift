package import ImageBatch

/// What `pipe` prints for an output that is finished, without the line's end.
package enum ResultLine {
  /// The path to open; nil for an output that failed, of which standard output says nothing.
  package static func text(_ result: OutputResult) -> String? {
    result.status == .failed ? nil : result.path ?? result.output
  }

  /// One JSON object, as `pipe --json` prints it. Members are always there, `null` where nothing is known; `error` is there
  /// for a failure only, and `fields` holds the input's own fields as they were written.
  package static func json(_ result: OutputResult) -> String {
    var json = JSONWriter()
    json.resultLine(result)
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
