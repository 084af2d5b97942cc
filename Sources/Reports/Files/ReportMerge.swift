import Crypto
package import ImageBatch

/// Merges the results of several reports, which are passed twice in the same order:
///
///     for result in results { merge.note(result) }
///     for result in results {
///       if let kept = merge.kept(result) { report.receive(.outputFinished(kept)) }
///     }
///     report.receive(.finished(merge.summary))
///
/// Of an output that several reports have, the last result is kept. Jobs keep their numbers; if different jobs have the
/// same one, as in the reports of different manifests, all jobs are numbered in the order of the reports. It holds about
/// 150 bytes for each output, and no result.
package struct ReportMerge {
  /// A digest instead of long texts.
  private struct Key: Hashable {
    let high: UInt64
    let low: UInt64

    init(_ parts: [String]) {
      var hash = SHA256()
      for part in parts {
        hash.update(data: Array(part.utf8))
        hash.update(data: [0])
      }
      (high, low) = hash.finalize().withUnsafeBytes {
        ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      }
    }

    /// The output of a result: its path, or what else is known if that isn't.
    static func output(_ result: OutputResult) -> Key {
      if let output = result.output { return Key([output]) }
      return Key([
        result.source, result.filter, result.format, String(result.index), result.location?.text ?? "",
      ])
    }

    /// The job of a result. A job's outputs may be on different lines of its manifest.
    static func job(_ result: OutputResult) -> Key {
      Key([String(result.index), result.source, result.location?.file ?? ""])
    }
  }

  /// The place of each output's last result among all results.
  private var last: [Key: Int] = [:]
  private var noted = 0
  /// The number of each job in the order of the reports.
  private var order: [Key: Int] = [:]
  private var owners: [Int: Key] = [:]
  private var hasOtherOwners = false
  private var taken = 0
  private var outputs: [Int: Int] = [:]
  private var failedJobs: Set<Int> = []
  private var permanentFailures = 0
  private var totals = BatchSummary()

  /// Makes an empty merge.
  package init() {}

  /// Takes note of a result, the first time.
  package mutating func note(_ result: OutputResult) {
    last[.output(result)] = noted
    noted += 1
    let job = Key.job(result)
    if order[job] == nil { order[job] = order.count + 1 }
    if let owner = owners[result.index], owner != job {
      hasOtherOwners = true
    } else {
      owners[result.index] = job
    }
  }

  /// The result as it is in the merged report, the second time; nil if a later one replaces it.
  package mutating func kept(_ result: OutputResult) -> OutputResult? {
    defer { taken += 1 }
    guard last[.output(result)] == taken else { return nil }
    var kept = result
    if hasOtherOwners, let number = order[.job(result)] { kept.index = number }
    kept.outputIndex = outputs[kept.index, default: 0]
    outputs[kept.index] = kept.outputIndex + 1
    count(kept)
    return kept
  }

  private mutating func count(_ result: OutputResult) {
    totals.outputs += 1
    switch result.status {
    case .written: totals.outputsWritten += 1
    case .unchanged: totals.outputsUnchanged += 1
    case .cached: totals.outputsFromCache += 1
    case .kept: totals.outputsKept += 1
    case .failed:
      totals.outputsFailed += 1
      failedJobs.insert(result.index)
      if result.error?.isTemporary != true { permanentFailures += 1 }
    }
    if result.usedPlaceholder { totals.placeholdersUsed += 1 }
  }

  /// The totals of the results that were kept. Reports don't have the others, which are 0.
  package var summary: BatchSummary {
    var summary = totals
    summary.jobs = outputs.count
    summary.jobsFailed = failedJobs.count
    summary.jobsDone = outputs.count - failedJobs.count
    summary.allFailuresTemporary = totals.outputsFailed > 0 && permanentFailures == 0
    return summary
  }
}
