import ImageBatch
import ImageDownloads

/// Finds outputs with one path and different content before anything starts, where the path is known by then.
enum OutputConflicts {
  private struct Content: Hashable {
    var sources: [ImageSource]
    var chain: String
    var encoding: String
    var named: [String: ImageSource]
  }

  static func check(_ jobs: [Job], log: inout DiagnosticLog) {
    var taken: [String: (content: Content, location: ManifestLocation?)] = [:]
    for job in jobs {
      for output in job.outputs {
        guard let path = path(of: output, job) else { continue }
        let content = Content(
          sources: job.sources, chain: output.chain.identifier, encoding: output.encoding.identifier,
          named: output.namedSources)
        guard let other = taken[path] else {
          taken[path] = (content, output.location)
          continue
        }
        guard other.content != content, let place = output.location else { continue }
        let first = other.location.map { $0.line == place.line ? "" : " (line \($0.line))" } ?? ""
        log.error(
          TextPlace(line: place.line, column: place.column),
          "two outputs have the path '\(path)'\(first): give one another name, or put what differs in it,"
            + " such as {index}, {width} or a variable")
      }
    }
  }

  /// The output's path, without `.` segments and doubled slashes; nil where it needs what isn't known yet.
  static func path(of output: Output, _ job: Job) -> String? {
    let values = OutputTemplate.Values(job, output)
    guard let path = output.template.expanded(values, variables: output.variables) else { return nil }
    return normalized(path)
  }

  /// The path without `.` segments and doubled slashes.
  static func normalized(_ path: String) -> String {
    let segments = path.split(separator: "/").filter { $0 != "." }
    return (path.hasPrefix("/") ? "/" : "") + segments.joined(separator: "/")
  }
}
