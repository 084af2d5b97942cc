import ImageRendering
import Logging
import Metrics

/// A batch's log and its metrics, from the factory of swift-metrics; without one they cost nothing.
struct BatchObserver: Sendable {
  let logger: Logger?
  private let done = Counter(label: "imagemill_jobs_total", dimensions: [("result", "done")])
  private let failed = Counter(label: "imagemill_jobs_total", dimensions: [("result", "failed")])
  private let renderings = Counter(label: "imagemill_renderings_total")
  private let waiting = Gauge(label: "imagemill_jobs_in_flight")

  init(logger: Logger?) { self.logger = logger }

  func count(_ response: RenderResponse) { renderings.increment(by: response.counts.outputs) }

  func record(inFlight groups: Int) { waiting.record(groups) }

  func log(_ event: BatchEvent) {
    guard case .warning(let warning) = event else { return }
    logger?.warning("\(warning.message)", metadata: warning.source.map { ["source": "\($0)"] } ?? [:])
  }

  func finish(_ result: JobResult) {
    (result.failed ? failed : done).increment()
    guard let logger else { return }
    for output in result.outputs {
      guard let error = output.error else { continue }
      logger.info(
        "output failed",
        metadata: [
          "source": "\(result.source)", "output": "\(output.output ?? "")", "code": "\(error.code.rawValue)",
          "error": "\(error.message)",
        ])
    }
    if !result.failed { logger.debug("job done", metadata: ["source": "\(result.source)"]) }
  }
}
