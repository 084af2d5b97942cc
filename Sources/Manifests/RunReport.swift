package import ImageBatch
import ImageRendering

/// The results of a run, from its `.ndjson` or `.json` report.
package enum RunReport {
  /// Passes the results to `take`, in the order of the report. An empty report has none.
  /// - Parameters:
  ///   - bytes: The report.
  ///   - name: Its name in errors.
  ///   - wanted: Advice for a file that isn't a report.
  /// - Throws: `ManifestErrors` with the first line that isn't a result.
  package static func forEachResult(
    of bytes: [UInt8], name: String, wanted: String = "use an NDJSON or JSON report",
    _ take: (OutputResult) -> Void
  ) throws(ManifestErrors) {
    var splitter = RecordSplitter()
    splitter.append(bytes)
    var isFirst = true
    while let record = splitter.next() ?? splitter.last() {
      guard record.bytes.contains(where: { $0 > 0x20 }) else { continue }
      do throws(JSONNodes.Failure) {
        if isFirst, let outputs = try document(bytes, beginningWith: record) {
          outputs.forEach(take)
          return
        }
        take(try OutputResult(reported: try node(of: record.bytes, line: record.line)))
      } catch {
        throw ManifestErrors([
          ManifestDiagnostic(
            file: name, line: error.place.line, column: error.place.column,
            message: isFirst ? "\(error.message); \(wanted)" : error.message)
        ])
      }
      isFirst = false
    }
  }

  /// The outputs of a `.json` report; nil if it isn't one. Its first line is usually only a part of an object.
  private static func document(
    _ bytes: [UInt8], beginningWith record: Record
  ) throws(JSONNodes.Failure) -> [OutputResult]? {
    let whole: ManifestNode
    do throws(JSONNodes.Failure) {
      let first = try? node(of: record.bytes, line: record.line)
      if let first, first["outputs"] == nil { return nil }
      whole = try node(of: bytes, line: 1)
    } catch {
      // The first line is neither, whose error says more.
      return nil
    }
    guard let outputs = whole["outputs"]?.list else { return nil }
    var results: [OutputResult] = []
    for output in outputs { results.append(try OutputResult(reported: output)) }
    return results
  }

  private static func node(of bytes: [UInt8], line: Int) throws(JSONNodes.Failure) -> ManifestNode {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw JSONNodes.Failure(place: TextPlace(line: line, column: 1), message: "not UTF-8")
    }
    return try JSONNodes.read(bytes: bytes, line: line)
  }
}

extension OutputResult {
  /// The result that a line of a report describes. What reports don't have, such as the chain as it was written, is nil.
  fileprivate init(reported node: ManifestNode) throws(JSONNodes.Failure) {
    guard node.entries != nil else { throw node.failure("a line of a report must be a JSON object") }
    guard let status = node["status"]?.text.flatMap(Status.init(rawValue:)), let index = node["index"]?.whole,
      let source = node["source"]?.text, let filter = node["filter"]?.text,
      let format = node["format"]?.text
    else { throw node.failure("this isn't a result of a run") }
    self.init(index: index, outputIndex: 0, source: source, status: status, filter: filter, format: format)
    output = node["output"]?.text
    path = node["path"]?.text
    width = node["width"]?.whole
    height = node["height"]?.whole
    frames = node["frames"]?.whole
    bytes = node["bytes"]?.whole
    quality = node["quality"]?.whole
    sha256 = node["sha256"]?.text
    sourceBytes = node["sourceBytes"]?.whole
    seconds = node["seconds"]?.scalar.flatMap(Double.init) ?? 0
    if case .bool(true)? = node["usedPlaceholder"]?.value { usedPlaceholder = true }
    fields = (node["fields"]?.entries ?? []).map { Job.Field(name: $0.key, json: $0.value.json) }
    if let place = node["location"], let file = place["file"]?.text, let line = place["line"]?.whole {
      location = ManifestLocation(file: file, line: line, column: place["column"]?.whole ?? 1)
    }
    if let found = node["placeholders"] {
      placeholders = Placeholders(
        dominantColor: found["dominantColor"]?.text ?? "", blurHash: found["blurHash"]?.text ?? "",
        thumbHash: found["thumbHash"]?.text ?? "", dataURI: found["dataURI"]?.text ?? "")
    }
    if let found = node["error"] { error = try JobError(reported: found) }
  }
}

extension JobError {
  fileprivate init(reported node: ManifestNode) throws(JSONNodes.Failure) {
    guard let code = node["code"]?.text, let stage = node["stage"]?.text.flatMap(Stage.init(rawValue:))
    else {
      throw node.failure("this error has no 'code' or no 'stage'")
    }
    guard let known = Code(rawValue: code) else {
      throw node.failure("unknown error code '\(code)': the report is from another version")
    }
    self.init(code: known, stage: stage, message: node["message"]?.text ?? "")
    if case .bool(true)? = node["temporary"]?.value { isTemporary = true }
    source = node["source"]?.text
  }
}

extension ManifestNode {
  /// The value of a whole number.
  fileprivate var whole: Int? {
    if case .number(let text) = value { Int(text) } else { nil }
  }

  fileprivate func failure(_ message: String) -> JSONNodes.Failure {
    JSONNodes.Failure(place: place, message: message)
  }
}
