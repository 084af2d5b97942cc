import Dispatch
import ImageBatch
import Synchronization
import SystemIO

extension JobReader {
  private struct Part: Sendable {
    var jobs: [Job]
    var log: DiagnosticLog
  }

  /// The fewest jobs that are read on several threads: the threads' start takes as long as some dozens.
  private static let fewest = 256

  /// The jobs of a long list, read by as many threads as there are processors.
  /// - Returns: nil for a short list, one with rows, one with a mistake, whose errors depend on those before it, and one of
  ///   which a part exceeds its share of the budget: read its members one after the other.
  func jobsAtOnce(_ nodes: [ManifestNode], log: inout DiagnosticLog) -> [Job]? {
    let count = Machine.availableProcessors
    guard nodes.count >= Self.fewest, count > 1, log.isEmpty,
      nodes.allSatisfy({ $0.entries != nil && $0["from"] == nil && $0["where"] == nil })
    else { return nil }
    let parts = Mutex<[Int: Part]>([:])
    DispatchQueue.concurrentPerform(iterations: count) { [log] number in
      var part = Part(jobs: [], log: log)
      part.log.budget = log.budget.share(among: count)
      for index in nodes.count * number / count..<nodes.count * (number + 1) / count {
        guard let job = job(nodes[index], index: index + 1, log: &part.log) else { break }
        part.jobs.append(job)
      }
      parts.withLock { [part] in $0[number] = part }
    }
    let found = parts.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
    let jobs = found.flatMap(\.jobs)
    guard jobs.count == nodes.count, found.allSatisfy({ $0.log.isEmpty }) else { return nil }
    log.budget.pay(shares: found.map(\.log.budget))
    return jobs
  }
}
