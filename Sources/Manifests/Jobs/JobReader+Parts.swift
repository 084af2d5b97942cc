import ImageBatch
import SystemIO

extension JobReader {
  private struct Part: Sendable {
    var jobs: [Job]
    var log: DiagnosticLog
  }

  /// The fewest jobs that are read on several threads.
  private static let fewest = 256

  /// The jobs of a long list, read by as many threads as there are processors.
  /// - Returns: nil for a short list, one with rows, one with a mistake, whose errors depend on those before it, and one of
  ///   which a part exceeds its share of the budget: read its members one after the other.
  func jobsAtOnce(_ nodes: [ManifestNode], log: inout DiagnosticLog) -> [Job]? {
    guard log.isEmpty, nodes.allSatisfy({ $0.entries != nil && $0["from"] == nil && $0["where"] == nil })
    else { return nil }
    let parts = Parts.each(of: nodes.count, from: Self.fewest) { [log] range, count in
      var part = Part(jobs: [], log: log)
      part.log.budget = log.budget.share(among: count)
      for index in range {
        guard let job = job(nodes[index], index: index + 1, log: &part.log) else { break }
        part.jobs.append(job)
      }
      return part
    }
    guard let found = parts else { return nil }
    let jobs = found.flatMap(\.jobs)
    guard jobs.count == nodes.count, found.allSatisfy({ $0.log.isEmpty }) else { return nil }
    log.budget.pay(shares: found.map(\.log.budget))
    return jobs
  }
}
