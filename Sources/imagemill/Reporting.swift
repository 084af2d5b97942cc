import Dispatch
import Foundation
import Glibc
import ImageBatch
import Reports
import Synchronization
import SystemIO

/// Tells whoever listens what happens in a batch: one event after the other, on a thread of its own, so that a slow
/// reader of results holds the batch back, and nothing else does.
final class Reporting: Sendable {
  private let queue = DispatchQueue(label: "imagemill.reporting")
  private let reporters: [any BatchReporter]
  private let readerIsGone: ReaderIsGone
  private let failures: WriteFailures
  private let metrics: MetricsFile?
  /// Unsafe only in name: set once before events come, cancelled on the queue at the end.
  nonisolated(unsafe) private let timer: (any DispatchSourceTimer)?

  /// Reporters as the options ask for them.
  /// - Parameter results: A line of this form on standard output for each output.
  init(_ options: BatchSettings, results: ResultPrinter.Form? = nil) throws {
    let gone = ReaderIsGone()
    readerIsGone = gone
    let failures = WriteFailures()
    self.failures = failures
    let printing: TextOutput = { text in
      do throws(Complaint) {
        if try StandardOutput.write(text) { return true }
      } catch {
        failures.note(error.message)
      }
      gone.raise()
      return false
    }
    // A reader of results that has gone, as `head` does, wants a quiet end.
    let speaking: TextOutput = { gone.isRaised || StandardError.write($0) }
    var reporters: [any BatchReporter] = []
    if let results { reporters.append(ResultPrinter(results, write: printing)) }
    // Before the messages: at the end it makes room for the summary.
    let progress = Self.progress(options, isTyped: results != nil && isatty(STDIN_FILENO) == 1)
    if let progress { reporters.append(progress) }
    reporters.append(Messages(options.extent, write: speaking))
    let isOwned = results != nil || !options.standardOutputOwners.isEmpty
    reporters += try Self.continuousIntegration(printing: isOwned ? speaking : printing)
    do throws(ReportError) {
      for path in options.reports { reporters.append(try FileReport(path: path, version: Version.number)) }
      for emission in options.emissions {
        reporters.append(try FileReport(path: emission.path, markup: emission.format))
      }
      metrics = try options.metrics.map { (path) throws(ReportError) in
        try MetricsFile(path: path, workers: options.slots, version: Version.number, warn: speaking)
      }
    } catch {
      throw Complaint(.usage, error.message)
    }
    if let metrics { reporters.append(metrics) }
    if let events = options.events {
      reporters.append(EventLines(write: try Self.output(events, failures, printing)))
    }
    self.reporters = reporters
    timer = progress == nil && metrics == nil ? nil : DispatchSource.makeTimerSource(queue: queue)
    if let timer {
      timer.setEventHandler { for reporter in reporters { reporter.tick() } }
      timer.schedule(deadline: .now() + 0.5, repeating: 0.2)
      timer.resume()
    }
  }

  /// Takes note of jobs that have been read and wait.
  func queue(_ jobs: Int) { metrics?.queue(jobs) }

  /// Tells everybody, and waits until they have heard.
  func receive(_ event: BatchEvent) async {
    let event = event.withRemedies
    await withCheckedContinuation { continuation in
      queue.async { [reporters] in
        for reporter in reporters { reporter.receive(event) }
        continuation.resume()
      }
    }
  }

  /// Tells everybody when it is their turn.
  func note(_ event: BatchEvent) {
    let event = event.withRemedies
    queue.async { [reporters] in
      for reporter in reporters { reporter.receive(event) }
    }
  }

  /// Whether nobody reads the results any more.
  var hasLostReader: Bool { readerIsGone.isRaised }

  /// Calls `action` when nobody reads the results any more.
  func onReaderGone(_ action: @escaping @Sendable () -> Void) { readerIsGone.observe(action) }

  /// Has every report written.
  func finish() throws {
    timer?.cancel()
    StandardError.endDisplay()
    queue.sync {
      for reporter in reporters {
        do throws(ReportError) { try reporter.finish() } catch { failures.note(error.message) }
      }
    }
    let messages = failures.messages
    if !messages.isEmpty { throw Complaint(.failed, messages.joined(separator: "\n")) }
  }

  /// A live display on a terminal that can move its cursor, lines elsewhere; nil where neither is wanted, and where
  /// sources are typed: what is typed stands where a display would.
  private static func progress(_ options: BatchSettings, isTyped: Bool) -> (any BatchReporter)? {
    let environment = ProcessInfo.processInfo.environment
    let isTerminal = isatty(STDERR_FILENO) == 1
    switch options.progress {
    case .none: return nil
    case .auto where isTerminal && isTyped: return nil
    case .auto where isTerminal && environment["TERM", default: "dumb"] != "dumb", .bar:
      let display = ProgressDisplay(
        usesColour: environment["NO_COLOR", default: ""].isEmpty,
        size: { .current(of: STDERR_FILENO) }, isInForeground: { TerminalSize.isInForeground(STDERR_FILENO) }
      ) { StandardError.writePlainly($0) }
      StandardError.display.withLock { $0 = display }
      return display
    case .auto, .plain: return PlainProgress(write: { StandardError.writePlainly($0) })
    }
  }

  /// Annotations and a summary where GitHub's runner asks for them.
  private static func continuousIntegration(printing: @escaping TextOutput) throws -> [any BatchReporter] {
    let environment = ProcessInfo.processInfo.environment
    guard environment["GITHUB_ACTIONS"] == "true" else { return [] }
    var reporters: [any BatchReporter] = [
      GitHubAnnotations(
        directory: FileManager.default.currentDirectoryPath, workspace: environment["GITHUB_WORKSPACE"],
        write: printing)
    ]
    if let path = environment["GITHUB_STEP_SUMMARY"], !path.isEmpty {
      reporters.append(StepSummary(path: path))
    }
    return reporters
  }

  private static func output(
    _ path: String, _ failures: WriteFailures, _ printing: @escaping TextOutput
  ) throws -> TextOutput {
    if path == "-" { return printing }
    let descriptor: Int32
    do throws(SystemError) { descriptor = try FileIO.open(path, O_WRONLY | O_CREAT | O_TRUNC) } catch {
      throw Complaint(.usage, "can't write events to \(path): \(error.text)")
    }
    return { text in
      do throws(SystemError) {
        try FileIO.write(Array(text.utf8), to: descriptor)
        return true
      } catch {
        if !error.isReaderGone {
          failures.note("can't write events to \(path): \(error.text)")
        }
        return false
      }
    }
  }
}

/// What could not be written, each thing once; the batch goes on, and the command says it in the end.
private final class WriteFailures: Sendable {
  private let state = Mutex<[String]>([])

  var messages: [String] { state.withLock(\.self) }

  func note(_ message: String) {
    state.withLock { if !$0.contains(message) { $0.append(message) } }
  }
}

/// Knows whether standard output has lost its reader.
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
