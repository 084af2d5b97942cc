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
    guard let source = job.sources.first else { return nil }
    let parts = SourceNameParts(source)
    let values = OutputTemplate.Values(
      name: parts.name, host: parts.host, path: parts.directory, index: job.index,
      format: output.encoding.format, filter: output.chain.identifier)
    guard let path = output.template.expanded(values, variables: output.variables) else { return nil }
    return normalized(path)
  }

  /// The path without `.` segments and doubled slashes.
  static func normalized(_ path: String) -> String {
    let segments = path.split(separator: "/").filter { $0 != "." }
    return (path.hasPrefix("/") ? "/" : "") + segments.joined(separator: "/")
  }
}

/// What a template takes from a source.
struct SourceNameParts {
  var name = ""
  var host = ""
  var directory = ""

  init(_ source: ImageSource) {
    switch source {
    case .url(let text):
      let url = URLReference(parsing: text)
      host = url?.host ?? ""
      split(PercentEncoding.decoded(url?.path ?? "") ?? url?.path ?? "")
    case .file(let path): split(path)
    case .data: name = "data"
    case .standardInput: name = "stdin"
    }
  }

  private mutating func split(_ path: String) {
    return normalized(path)
  }

  /// The path without `.` segments and doubled slashes.
  static func normalized(_ path: String) -> String {
    let segments = path.split(separator: "/")
    let file = segments.last ?? ""
    let stem = file.lastIndex(of: ".").map { $0 > file.startIndex ? file[..<$0] : file } ?? file
    name = String(stem)
    directory = segments.dropLast().joined(separator: "/")
  }
}
