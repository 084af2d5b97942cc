import Dispatch
import Foundation
import Glibc
import ImageBatch
import Reports
import Synchronization

/// Passes a batch's events to its reporters, one after the other, on a queue. The batch waits for a slow reader of
/// results, and for nothing else.
final class Reporting: Sendable {
  private let queue = DispatchQueue(label: "imagemill.reporting")
  private let reporters: [any BatchReporter]
  private let observesRenderings: Bool
  private let readerIsGone: ReaderIsGone
  private let failures: WriteFailures
  private let metrics: MetricsFile?
  private let repeatingCommand: String?
  /// Safe: set once before events arrive, and only cancelled after that.
  nonisolated(unsafe) private let timer: (any DispatchSourceTimer)?

  /// Makes the reporters that the options ask for.
  /// - Parameters:
  ///   - results: The form of result lines on standard output; nil for none.
  ///   - continuation: The command that continues; nil for a batch that prints none.
  ///   - repeatingCommand: The command, if it has `--failed`. Default: nil.
  /// - Throws: `CommandError` if a report's path is wrong or can't be written.
  init(
    _ options: BatchSettings, results: ResultPrinter.Form? = nil, continuation: Continuation? = nil,
    repeatingCommand: String? = nil
  ) throws {
    self.repeatingCommand = repeatingCommand
    let gone = ReaderIsGone()
    readerIsGone = gone
    let failures = WriteFailures()
    self.failures = failures
    let printing: TextOutput = { text in
      do throws(CommandError) {
        if try StandardOutput.write(text) { return true }
      } catch {
        failures.note(error.message)
      }
      gone.raise()
      return false
    }
    // After `head` has closed standard output, messages would only clutter the terminal.
    let speaking: TextOutput = { gone.isRaised || StandardError.write($0) }
    var reporters: [any BatchReporter] = []
    if let results {
      reporters.append(ResultPrinter(results, later: Self.delayed(on: queue), write: printing))
    }
    // Before the messages: the display must be cleared before the summary is printed.
    let progress = Self.progress(options, isTyped: results != nil && isatty(STDIN_FILENO) == 1)
    if let progress { reporters.append(progress) }
    // Before the messages too: the last line offers only what was kept.
    if let record = continuation?.record { reporters.append(record) }
    reporters.append(
      Messages(
        options.extent, showsFailures: results?.isGathered != true,
        continuation: { continuation?.line($0) }, write: speaking))
    let isOwned = results != nil || !options.standardOutputOwners.isEmpty
    reporters += Self.continuousIntegration(printing: isOwned ? speaking : printing)
    do throws(ReportError) {
      let earlier = try options.comparedReport.map { (path) throws(ReportError) in
        try EarlierReport(path: path)
      }
      for path in options.reports {
        reporters.append(try FileReport(path: path, version: Version.number, earlier: earlier))
      }
      for emission in options.emissions {
        reporters.append(try FileReport(path: emission.path, markup: emission.format))
      }
      if let events = options.events {
        reporters.append(
          events == "-"
            ? EventLines(write: printing) : try EventLines(path: events, writing: ReadStream.write))
      }
      metrics = try options.metrics.map { (path) throws(ReportError) in
        try MetricsFile(path: path, workers: options.slots, version: Version.number, warn: speaking)
      }
    } catch {
      throw CommandError(.usage, error.message)
    }
    if let metrics { reporters.append(metrics) }
    self.reporters = reporters
    observesRenderings = reporters.contains { $0.observesRenderings }
    timer = progress == nil && metrics == nil ? nil : DispatchSource.makeTimerSource(queue: queue)
    if let timer {
      timer.setEventHandler { for reporter in reporters { reporter.tick() } }
      timer.schedule(deadline: .now() + 0.5, repeating: 0.2)
      timer.resume()
    }
  }

  /// Calls actions on the queue after the time that results wait for others.
  private static func delayed(
    on queue: DispatchQueue
  ) -> @Sendable (@escaping @Sendable () -> Void) -> Void {
    { action in
      queue.asyncAfter(deadline: .now() + ResultPrinter.delay / .seconds(1), execute: action)
    }
  }

  /// Counts jobs that have been read and wait.
  func queue(_ jobs: Int) { metrics?.queue(jobs) }

  private func advised(_ event: BatchEvent) -> BatchEvent {
    Remedies.$repeatingCommand.withValue(repeatingCommand) { event.withRemedies }
  }

  /// Passes the event to all reporters, and waits until they have handled it, but not while it holds a rendering slot.
  func receive(_ event: BatchEvent) async {
    switch event {
    case .renderingStarted, .renderingFinished:
      if observesRenderings { note(event) }
      return
    default: break
    }
    let event = advised(event)
    await withCheckedContinuation { continuation in
      queue.async { [reporters] in
        for reporter in reporters { reporter.receive(event) }
        continuation.resume()
      }
    }
  }

  /// Passes the event to all reporters without waiting.
  func note(_ event: BatchEvent) {
    let event = advised(event)
    queue.async { [reporters] in
      for reporter in reporters { reporter.receive(event) }
    }
  }

  /// Whether the reader of standard output has closed its end.
  var hasLostReader: Bool { readerIsGone.isRaised }

  /// Calls `action` when the reader of standard output closes its end.
  func onReaderGone(_ action: @escaping @Sendable () -> Void) { readerIsGone.observe(action) }

  /// Writes every report. What could not be written is said on standard error: the outputs are in place, and what is
  /// left to do, such as a lock file, must not be lost with a report.
  /// - Returns: Whether everything was written.
  func finish() -> Bool {
    timer?.cancel()
    StandardError.endDisplay()
    queue.sync {
      for reporter in reporters {
        do throws(ReportError) { try reporter.finish() } catch { failures.note(error.message) }
      }
    }
    let messages = failures.messages
    for message in messages { StandardError.say("imagemill: \(message)") }
    return messages.isEmpty
  }

  /// A live display on a terminal that can move its cursor, lines elsewhere; nil if progress is off, and while sources
  /// are typed: a display would overwrite them.
  private static func progress(_ options: BatchSettings, isTyped: Bool) -> (any BatchReporter)? {
    let environment = ProcessInfo.processInfo.environment
    let isTerminal = isatty(STDERR_FILENO) == 1
    switch options.progress {
    case .none: return nil
    case .auto where isTerminal && isTyped: return nil
    case .auto where isTerminal && environment["TERM", default: "dumb"] != "dumb", .bar:
      let display = ProgressDisplay(
        usesColor: environment["NO_COLOR", default: ""].isEmpty, usesUnicode: usesUnicode(environment),
        size: { .current(of: STDERR_FILENO) }, isInForeground: { TerminalSize.isInForeground(STDERR_FILENO) }
      ) { StandardError.writePlainly($0) }
      StandardError.display.withLock { $0 = display }
      return display
    case .auto, .plain: return PlainProgress(write: { StandardError.writePlainly($0) })
    }
  }

  /// Whether the locale's characters are UTF-8. They are taken to be if no locale is set, as in containers.
  private static func usesUnicode(_ environment: [String: String]) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    guard let locale = locale?.lowercased() else { return true }
    return locale.contains("utf-8") || locale.contains("utf8")
  }

  /// Annotations and a step summary in a GitHub workflow.
  private static func continuousIntegration(printing: @escaping TextOutput) -> [any BatchReporter] {
    let environment = ProcessInfo.processInfo.environment
    guard Annotations.areRequested else { return [] }
    var reporters: [any BatchReporter] = [Annotations.reporter(environment, write: printing)]
    if let path = environment["GITHUB_STEP_SUMMARY"], !path.isEmpty {
      reporters.append(StepSummary(path: path))
    }
    return reporters
  }
}

/// Collects write errors, each once. The batch continues; the command reports them at the end.
private final class WriteFailures: Sendable {
  private let state = Mutex<[String]>([])

  var messages: [String] { state.withLock(\.self) }

  func note(_ message: String) {
    state.withLock { if !$0.contains(message) { $0.append(message) } }
  }
}

/// Whether the reader of standard output has closed its end.
private final class ReaderIsGone: Sendable {
  private struct State {
    var isRaised = false
    var observer: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  var isRaised: Bool { state.withLock(\.isRaised) }

  func raise() {
    let observer = state.withLock { state in
      defer { state.isRaised = true }
      return state.isRaised ? nil : state.observer
    }
    observer?()
  }

  func observe(_ observer: @escaping @Sendable () -> Void) {
    let isRaised = state.withLock { state in
      state.observer = observer
      return state.isRaised
    }
    if isRaised { observer() }
  }
}
