import ImageBatch
import SystemIO
import TerminalText

/// The failures of a batch, counted by reason and host, for the closing lines.
struct FailureGroups {
  /// Failures that the user mends or waits for together.
  private struct Kind: Hashable {
    var host: String?
    var stage: JobError.Stage
    var code: JobError.Code
    var status: Int?
  }

  private struct Group {
    var count = 0
    /// The first failure's message.
    var message: String
    /// Whether all failures have the same message.
    var isUniform = true
    /// The first failure's place among all.
    var position: Int
  }

  /// The most lines; a batch with more kinds of failures ends with their number.
  private static let mostLines = 8

  private var groups: [Kind: Group] = [:]
  /// The number of failed outputs.
  private(set) var count = 0

  /// Counts a job's failed outputs.
  mutating func add(_ job: JobResult) {
    for output in job.outputs {
      // What was stopped waits for the same command, not for a cure.
      guard let error = output.error, error.code != .cancelled else { continue }
      var kind = Kind(
        host: Self.host(of: error.source ?? output.source), stage: error.stage, code: error.code)
      if case .status(let status) = error.reason { kind.status = status }
      var group = groups[kind] ?? Group(message: error.message, position: count)
      group.count += 1
      group.isUniform = group.isUniform && group.message == error.message
      groups[kind] = group
      count += 1
    }
  }

  /// A line for each kind, the most frequent first; none for a single failure, whose own line is the last one printed.
  var lines: [String] {
    guard count > 1 else { return [] }
    let sorted = groups.sorted { ($1.value.count, $0.value.position) < ($0.value.count, $1.value.position) }
    var lines = sorted.prefix(Self.mostLines).map { kind, group in
      let place = kind.host.map { " at \($0)" } ?? ""
      let reason = group.isUniform ? group.message : "\(kind.code.rawValue), such as: \(group.message)"
      // A record that isn't a job has no stage.
      let stage = kind.stage == .manifest ? "" : "\(kind.stage.rawValue): "
      return TerminalText.visible(
        "\(QuantityText.count(group.count, "output")) failed\(place): \(stage)\(reason)")
    }
    let rest = sorted.dropFirst(Self.mostLines).reduce(0) { $0 + $1.value.count }
    if rest > 0 { lines.append("\(QuantityText.count(rest, "output")) failed for other reasons") }
    return lines
  }

  /// The host and port of a URL; nil for a file, and for a line that isn't a source.
  private static func host(of source: String) -> String? {
    guard let url = URLReference(parsing: source), ["http", "https"].contains(url.scheme) else { return nil }
    guard let authority = url.authority, let user = authority.lastIndex(of: "@") else { return url.authority }
    return String(authority[authority.index(after: user)...])
  }
}
