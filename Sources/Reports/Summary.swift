package import ImageBatch

/// The summary line at the end of every run.
package enum Summary {
  /// The summary without a line break, such as `jobs 120: 118 done, 2 failed; outputs 354: 270 written, 40 cached, 40
  /// unchanged, 4 failed; 96 downloads (41.2 MB), 24 merged, 22 revalidated; 11.8 s`. Totals that are 0 are left out;
  /// a batch without jobs has `nothing to do`.
  ///
  /// With a remote cache, `remote cache: 40 found (1.2 MB), 3 uploaded (80.1 kB)` follows the downloads.
  ///
  /// An output that was restored from the cache counts as cached, as in its result line.
  package static func text(_ summary: BatchSummary) -> String {
    var parts = [
      counted("jobs", summary.jobs, [(summary.jobsDone, "done"), (summary.jobsFailed, "failed")]),
      counted(
        "outputs", summary.outputs, completed(summary) + [(summary.outputsFailed, "failed")]),
    ]
    if summary.jobs == 0, summary.outputs == 0, summary.isWhole { parts = ["nothing to do"] }
    var transfers: [String] = []
    if summary.downloads > 0 {
      transfers.append(
        "\(QuantityText.count(summary.downloads, "download")) (\(QuantityText.bytes(summary.downloadedBytes)))"
      )
    }
    if let spared = listed(sparedDownloads(summary)) { transfers.append(spared) }
    if !transfers.isEmpty { parts.append(transfers.joined(separator: ", ")) }
    let found =
      summary.remoteHits > 0
      ? "\(summary.remoteHits) found (\(QuantityText.bytes(summary.remoteReceivedBytes)))" : nil
    let sent =
      summary.remoteUploads > 0
      ? "\(summary.remoteUploads) uploaded (\(QuantityText.bytes(summary.remoteSentBytes)))" : nil
    let remote = [found, sent].compactMap(\.self)
    if !remote.isEmpty { parts.append("remote cache: " + remote.joined(separator: ", ")) }
    if summary.outputsRemoved > 0 { parts.append("\(summary.outputsRemoved) removed") }
    if summary.jobsNotStarted > 0 {
      parts.append("\(QuantityText.count(summary.jobsNotStarted, "job")) not started")
    }
    if summary.isInputUnread { parts.append("stopped before the end of the input") }
    if summary.placeholdersUsed > 0 {
      parts.append("\(QuantityText.count(summary.placeholdersUsed, "placeholder")) used")
    }
    // Merged reports have no time.
    if summary.seconds > 0 { parts.append("\(QuantityText.tenths(summary.seconds)) s") }
    return parts.joined(separator: "; ")
  }

  /// `outputs 9: 8 written, 1 failed`.
  private static func counted(_ noun: String, _ total: Int, _ counts: [(number: Int, name: String)]) -> String
  {
    "\(noun) \(total)" + (listed(counts).map { ": \($0)" } ?? "")
  }

  /// The outputs that are in place, by how they came there.
  static func completed(_ summary: BatchSummary) -> [(number: Int, name: String)] {
    [
      (summary.outputsWritten, "written"), (summary.outputsFromCache, "cached"),
      (summary.outputsUnchanged, "unchanged"), (summary.outputsKept, "kept"),
    ]
  }

  /// The downloads that weren't needed, by the reason.
  static func sparedDownloads(_ summary: BatchSummary) -> [(number: Int, name: String)] {
    [(summary.mergedDownloads, "merged"), (summary.revalidatedDownloads, "revalidated")]
  }

  /// `8 written, 1 failed`, without the counts that are 0; nil if all are.
  static func listed(_ counts: [(number: Int, name: String)]) -> String? {
    let shown = counts.filter { $0.number > 0 }.map { "\($0.number) \($0.name)" }
    return shown.isEmpty ? nil : shown.joined(separator: ", ")
  }

  /// The run's result in a few words: `4 of 354 outputs failed`, `all 354 outputs are in place`.
  static func verdict(_ summary: BatchSummary) -> String {
    var troubles: [String] = []
    if summary.outputsFailed > 0 {
      troubles.append("\(summary.outputsFailed) of \(QuantityText.count(summary.outputs, "output")) failed")
    } else if summary.jobsFailed > 0 {
      troubles.append("\(QuantityText.count(summary.jobsFailed, "job")) failed")
    }
    if summary.jobsNotStarted > 0 {
      troubles.append("\(QuantityText.count(summary.jobsNotStarted, "job")) not started")
    }
    if summary.isInputUnread { troubles.append("stopped before the end of the input") }
    if !troubles.isEmpty { return troubles.joined(separator: ", ") }
    switch summary.outputs {
    case 0: return "nothing to do"
    case 1: return "the output is in place"
    default: return "all \(summary.outputs) outputs are in place"
    }
  }

  /// Whether every output is in place.
  static func isGood(_ summary: BatchSummary) -> Bool {
    summary.outputsFailed == 0 && summary.jobsFailed == 0 && summary.isWhole
  }
}
