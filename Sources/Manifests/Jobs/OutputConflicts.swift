import ImageBatch
import ImageDownloads

/// Finds outputs with one path and different content before anything starts, where the path is known by then.
enum OutputConflicts {
  /// What decides what a file holds.
  struct Content: Hashable {
    var sources: [ImageSource]
    var chain: String
    var encoding: String
    var named: [String: ImageSource]

    init(_ output: Output, of job: Job) {
      sources = job.sources
      chain = output.chain.identifier
      encoding = output.encoding.identifier
      named = output.namedSources
    }
  }

  static func check(_ jobs: [Job], log: inout DiagnosticLog) {
    var taken: [String: (content: Content, location: ManifestLocation?)] = [:]
    for job in jobs {
      for output in job.outputs {
        guard let path = path(of: output, job) else { continue }
        let content = Content(output, of: job)
        guard let other = taken[path] else {
          taken[path] = (content, output.location)
          continue
        }
        guard other.content != content, let place = output.location else { continue }
        log.error(
          TextPlace(line: place.line, column: place.column),
          message(path, line: place.line, first: other.location?.line))
      }
    }
  }

  static func message(_ path: String, line: Int, first: Int?) -> String {
    let other = first.map { $0 == line ? "" : " (line \($0))" } ?? ""
    return
      "two outputs have the path '\(path)'\(other): give one another name, or put what differs in it, such as"
      + " {index}, {width} or a variable"
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
