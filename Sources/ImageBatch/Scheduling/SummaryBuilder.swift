import ImageCaches
import ImageDownloads
import ImageRendering

/// Accumulates a batch's totals.
struct SummaryBuilder {
  private var summary = BatchSummary()
  private var permanentFailures = 0
  /// Jobs that used a source that another job of their group had downloaded.
  var mergedJobs = 0
  /// Files that were removed because no job makes them anymore.
  var removedOutputs = 0
  /// Cache hits by kind.
  private(set) var savings: [CacheSavings.Kind: CacheSavings] = [:]

  var failedJobs: Int { summary.jobsFailed }

  mutating func count(_ result: JobResult) {
    summary.jobs += 1
    if result.failed { summary.jobsFailed += 1 } else { summary.jobsDone += 1 }
    for output in result.outputs {
      summary.outputs += 1
      switch output.status {
      case .written: summary.outputsWritten += 1
      case .unchanged: summary.outputsUnchanged += 1
      case .cached: summary.outputsFromCache += 1
      case .kept: summary.outputsKept += 1
      case .failed:
        summary.outputsFailed += 1
        if output.error?.isTemporary != true { permanentFailures += 1 }
      }
      if output.usedPlaceholder { summary.placeholdersUsed += 1 }
    }
  }

  mutating func count(_ response: RenderResponse) {
    summary.decodes += response.counts.decodes
    summary.renderings += response.counts.outputs
    summary.renditionsReused += response.counts.renditionsReused
    spare(.rendition, CacheSavings(hits: response.counts.renditionsReused))
  }

  mutating func count(_ source: StoredSource) {
    let hit = CacheSavings(hits: 1, bytes: source.byteCount)
    switch source.disposition {
    case .hit: spare(.response, hit)
    case .revalidated: spare(.revalidated, hit)
    case .downloaded, .merged, .stale, .local: break
    }
  }

  /// Counts an output that wasn't rendered, with its recorded rendering time as savings.
  mutating func count(found output: StoredOutput, isInPlace: Bool) {
    spare(
      isInPlace ? .output : .stored,
      CacheSavings(hits: 1, bytes: isInPlace ? output.bytes : 0, seconds: output.seconds))
  }

  /// Counts the use of the remote cache.
  mutating func count(_ remote: RemoteTotals) {
    summary.remoteHits = remote.hits
    summary.remoteMisses = remote.misses
    summary.remoteReceivedBytes = remote.receivedBytes
    summary.remoteUploads = remote.uploads
    summary.remoteSentBytes = remote.sentBytes
    summary.remoteFailedUploads = remote.failedUploads
    spare(.remote, CacheSavings(hits: remote.hits, bytes: remote.receivedBytes, seconds: remote.savedSeconds))
  }

  private mutating func spare(_ kind: CacheSavings.Kind, _ spared: CacheSavings) {
    savings[kind, default: CacheSavings()] += spared
  }

  mutating func skip(_ group: JobGroup) {
    summary.jobs += group.jobs.count
    summary.jobsNotStarted += group.jobs.count
  }

  /// - Parameter isInputUnread: Whether the batch was stopped before its input ended.
  func summary(
    after duration: Duration, downloads: DownloadTotals, knownJobs: Int?, isInputUnread: Bool
  ) -> BatchSummary {
    var result = summary
    if let knownJobs, knownJobs > result.jobs {
      result.jobsNotStarted += knownJobs - result.jobs
      result.jobs = knownJobs
    }
    result.isInputUnread = isInputUnread && knownJobs == nil
    result.downloads = downloads.downloads
    result.downloadedBytes = downloads.bytes
    result.outputsRemoved = removedOutputs
    result.mergedDownloads = downloads.merged + mergedJobs
    result.revalidatedDownloads = downloads.revalidated
    result.freshDownloads = savings[.response]?.hits ?? 0
    result.allFailuresTemporary = summary.outputsFailed > 0 && permanentFailures == 0
    result.seconds = duration / .seconds(1)
    return result
  }
}
