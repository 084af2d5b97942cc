import Crypto
package import ImageBatch

/// Merges the results of several reports, which are passed twice in the same order:
///
///     for report in reports {
///       merge.begin()
///       for result in report { merge.note(result) }
///     }
///     for report in reports {
///       merge.begin()
///       for result in report {
///         if let kept = merge.kept(result) { merged.receive(.outputFinished(kept)) }
///       }
///     }
///     merged.receive(.finished(merge.summary))
///
/// Of an output that several reports have, the last result is kept. An output is known by its manifest and its path
/// or, if a report doesn't have that, by its position in its job: a retry has the same outputs of a job in the same order. Jobs keep their numbers; if different jobs have the
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

    /// The path of a result's output. Manifests in different directories may name different files alike.
    static func path(_ path: String, _ result: OutputResult) -> Key {
      Key([result.location?.file ?? "", path])
    }

    /// The position of a result's output.
    static func position(_ result: OutputResult, _ number: Int) -> Key {
      Key([result.source, result.filter, String(result.index), result.location?.file ?? "", String(number)])
    }

    /// The job of a result. A job's outputs may be on different lines of its manifest.
    static func job(_ result: OutputResult) -> Key {
      Key([String(result.index), result.source, result.location?.file ?? ""])
    }
  }

  /// The place of each path's last result among all results.
  private var lastWithPath: [Key: Int] = [:]
  /// The place of each position's last result without a path.
  private var lastWithoutPath: [Key: Int] = [:]
  /// The place of each position's last result with a path, of positions that also have one without.
  private var lastOfBoth: [Key: Int] = [:]
  /// The number of each job's results so far in a report.
  private var positions: [Key: Int] = [:]
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

  /// Begins the next report, the first and the second time.
  package mutating func begin() { positions = [:] }

  private mutating func position(of result: OutputResult) -> Key {
    let job = Key.job(result)
    let number = positions[job, default: 0]
    positions[job] = number + 1
    return .position(result, number)
  }

  /// Takes note of a result, the first time.
  package mutating func note(_ result: OutputResult) {
    let position = position(of: result)
    if let path = result.output {
      lastWithPath[.path(path, result)] = noted
      if lastWithoutPath[position] != nil { lastOfBoth[position] = noted }
    } else {
      lastWithoutPath[position] = noted
    }
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
    let position = position(of: result)
    if let path = result.output {
      guard lastWithPath[.path(path, result)] == taken, lastWithoutPath[position] ?? -1 < taken else {
        return nil
      }
    } else {
      guard lastWithoutPath[position] == taken, lastOfBoth[position] ?? -1 < taken else { return nil }
    }
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
