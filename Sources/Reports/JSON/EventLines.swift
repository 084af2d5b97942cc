package import ImageBatch
import Synchronization
import SystemIO

/// Writes every event of a batch as it happens, one JSON object per line (`--events FILE`).
///
/// A line has `version`, `event` (the name, such as `output-finished`), `time` (seconds since the reporter was created)
/// and the event's members. The line of `finished` is the last: a download that a signal stops may end after it, and
/// has no line then.
package final class EventLines: BatchReporter {
  private let write: TextOutput
  /// The file that the lines are written to, if this reporter has opened it.
  private let file: EventFile?
  private let start: ContinuousClock.Instant
  private let now: @Sendable () -> ContinuousClock.Instant
  /// Whether no line follows: the reader is gone, or the line of `finished` is written.
  private let isEnded = Mutex(false)

  /// Creates a reporter that writes lines until `write` returns false.
  package init(
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, write: @escaping TextOutput
  ) {
    self.write = write
    file = nil
    self.now = now
    start = now()
  }

  /// Creates a reporter that writes lines to a file, whose missing directories it makes.
  /// - Parameter writing: Writes to the file, which may be a pipe whose reader is slow. Default: waits for the reader.
  /// - Throws: `ReportError` if the file can't be created, or is a named pipe without a reader.
  package init(
    path: String,
    writing: @escaping @Sendable ([UInt8], Int32) throws -> Void = {
      (bytes, file) throws(SystemError) in
      try FileIO.write(bytes, to: file)
    }
  ) throws(ReportError) {
    let file = try EventFile(path, writing: writing)
    self.file = file
    write = { file.write($0) }
    now = { .now }
    start = .now
  }

  /// Closes the file.
  /// - Throws: `ReportError` if a line could not be written.
  package func finish() throws(ReportError) { try file?.finish() }

  /// Whether it handles the start and the end of renderings: always.
  package var observesRenderings: Bool { true }

  /// Writes the event's line.
  package func receive(_ event: BatchEvent) {
    // The lock is held while the line is written: otherwise `finished` could overtake it.
    isEnded.withLock { isEnded in
      guard !isEnded else { return }
      var json = JSONWriter()
      json.document { json in
        json.member("event", event.name)
        json.member("time", ((now() - start) / .seconds(1)).roundedToMilliseconds)
        json.members(event)
      }
      let isWritten = write(String(decoding: json.bytes, as: UTF8.self) + "\n")
      if case .finished = event { isEnded = true } else { isEnded = !isWritten }
    }
  }
}

extension BatchEvent {
  fileprivate var name: String {
    switch self {
    case .jobsCounted: "jobs-counted"
    case .downloadStarted: "download-started"
    case .downloadProgressed: "download-progressed"
    case .downloadFinished: "download-finished"
    case .renderingStarted: "rendering-started"
    case .renderingFinished: "rendering-finished"
    case .warning: "warning"
    case .outputFinished: "output-finished"
    case .outputRemoved: "output-removed"
    case .jobFinished: "job-finished"
    case .finished: "finished"
    }
  }
}

extension JSONWriter {
  fileprivate mutating func members(_ event: BatchEvent) {
    switch event {
    case .jobsCounted(let jobs): member("jobs", jobs)
    case .downloadStarted(let id, let source, let host):
      member("id", id)
      member("source", source)
      member("host", host)
    case .downloadProgressed(let id, let received, let expected):
      member("id", id)
      member("received", received)
      member("expected", expected)
    case .downloadFinished(let id, let bytes, let failed, _):
      member("id", id)
      member("bytes", bytes)
      member("failed", failed)
    case .renderingStarted(let slot, let job, let source):
      member("slot", slot)
      member("index", job)
      member("source", source)
    case .renderingFinished(let slot): member("slot", slot)
    case .warning(let warning):
      member("source", warning.source)
      member("message", warning.message)
      if let place = warning.location { member("location", object: { $0.members(place) }) }
    case .outputFinished(let result): members(result)
    case .outputRemoved(let path): member("path", path)
    case .jobFinished(let job):
      member("index", job.index)
      member("source", job.source)
      member("failed", job.failed)
      if let place = job.location { member("location", object: { $0.members(place) }) }
    case .finished(let summary): members(summary)
    }
  }
}
