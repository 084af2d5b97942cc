package import ImageBatch
import Synchronization

/// Prints the results of `pipe`: a record for each output, written when it finishes or, for a program, shortly after it
/// with others.
package final class ResultPrinter: BatchReporter {
  /// The format of the records.
  package struct Form: Sendable {
    /// Whether a record is a JSON object instead of a path.
    var json = false
    /// If set, records are printed in the order of the input, and this window bounds those that wait.
    var order: OrderWindow?
    /// Whether a record ends in NUL instead of a line break.
    var isNULSeparated = false
    /// Whether records are for a program that reads nothing else: they have the members of a report, and are written
    /// together after ``ResultPrinter/delay``.
    package var isGathered = false

    /// Creates a format.
    /// - Parameters:
    ///   - json: Whether to print a JSON object for each output instead of its path.
    ///   - order: The window that bounds waiting records, to print them in the order of the input.
    ///   - isNULSeparated: Whether a record ends in NUL instead of a line break.
    ///   - isGathered: Whether records have the members of a report, and are written together.
    package init(
      json: Bool = false, order: OrderWindow? = nil, isNULSeparated: Bool = false, isGathered: Bool = false
    ) {
      self.json = json
      self.order = order
      self.isNULSeparated = isNULSeparated
      self.isGathered = isGathered
    }
  }

  private struct State {
    /// The records of jobs that finished before an earlier job, by job index.
    var held: [Int: String] = [:]
    var next = 1
    /// The records that are written together.
    var gathered = ""
    /// Whether they will be.
    var isScheduled = false
  }

  /// The longest time that a finished record waits for others. A reader of small images gets a dozen at once, instead of
  /// being woken for each.
  package static let delay = Duration.milliseconds(20)
  /// The bytes of records that are written without waiting for more: what a pipe holds.
  static let enough = 1 << 16

  private let form: Form
  private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let write: TextOutput
  private let state = Mutex(State())

  /// Creates a printer.
  /// - Parameters:
  ///   - later: Calls its argument after ``delay``, between two events. Default: at once.
  ///   - write: Receives complete records.
  package init(
    _ form: Form, later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() },
    write: @escaping TextOutput
  ) {
    self.form = form
    self.later = later
    self.write = write
  }

  package func receive(_ event: BatchEvent) {
    switch event {
    case .outputFinished(let result):
      if form.order == nil { print(record(result)) }
    case .jobFinished(let job):
      guard let order = form.order else { return }
      let (text, finished) = inOrder(job, order)
      print(text)
      order.advance(to: finished)
    case .finished:
      // Jobs that were never started leave gaps in the order. Print the records after them now.
      let rest = state.withLock { state in
        defer { state.held = [:] }
        return state.held.sorted { $0.key < $1.key }.map(\.value)
      }
      print(rest.joined())
      flush()
    default: return
    }
  }

  package func finish() throws(ReportError) { flush() }

  /// The records that can be printed now, and the index up to which all jobs are finished.
  private func inOrder(_ job: JobResult, _ order: OrderWindow) -> (text: String, finished: Int) {
    let text = job.outputs.map(record).joined()
    return state.withLock { state in
      state.held[job.index] = text
      var ready = ""
      while true {
        if let next = state.held.removeValue(forKey: state.next) {
          ready += next
        } else if !order.isSkipped(state.next) {
          break
        }
        state.next += 1
      }
      return (ready, state.next - 1)
    }
  }

  private func record(_ result: OutputResult) -> String {
    let text = form.json ? ResultLine.json(result, isWhole: form.isGathered) : ResultLine.text(result)
    return text.map { $0 + (form.isNULSeparated ? "\0" : "\n") } ?? ""
  }

  private func print(_ text: String) {
    guard !text.isEmpty else { return }
    guard form.isGathered else {
      // Ignore the result: the owner of `write` notices that the reader has closed its end.
      _ = write(text)
      return
    }
    let (isEnough, isFirst) = state.withLock { state in
      state.gathered += text
      defer { state.isScheduled = true }
      return (state.gathered.utf8.count >= Self.enough, !state.isScheduled)
    }
    if isEnough { flush() }
    if isFirst {
      later { [self] in
        state.withLock { $0.isScheduled = false }
        flush()
      }
    }
  }

  private func flush() {
    let text = state.withLock { state in
      defer { state.gathered = "" }
      return state.gathered
    }
    if !text.isEmpty { _ = write(text) }
  }
}
