package import ImageBatch
import Synchronization

/// Prints the results of `pipe`: a record for each output, flushed when it finishes.
package final class ResultPrinter: BatchReporter {
  /// The format of the records.
  package struct Form: Sendable {
    /// Whether a record is a JSON object instead of a path.
    var json = false
    /// If set, records are printed in the order of the input, and this window bounds those that wait.
    var order: OrderWindow?
    /// Whether a record ends in NUL instead of a line break.
    var isNULSeparated = false

    /// Creates a format.
    /// - Parameters:
    ///   - json: Whether to print a JSON object for each output instead of its path.
    ///   - order: The window that bounds waiting records, to print them in the order of the input.
    ///   - isNULSeparated: Whether a record ends in NUL instead of a line break.
    package init(json: Bool = false, order: OrderWindow? = nil, isNULSeparated: Bool = false) {
      self.json = json
      self.order = order
      self.isNULSeparated = isNULSeparated
    }
  }

  private struct State {
    /// The records of jobs that finished before an earlier job, by job index.
    var held: [Int: String] = [:]
    var next = 1
  }

  private let form: Form
  private let write: TextOutput
  private let state = Mutex(State())

  /// Creates a printer. `write` always receives complete records.
  package init(_ form: Form, write: @escaping TextOutput) {
    self.form = form
    self.write = write
  }

  package func receive(_ event: BatchEvent) {
    switch event {
    case .outputFinished(let result):
      if form.order == nil { print(record(result)) }
    case .jobFinished(let job):
      guard let order = form.order else { return }
      let (text, finished) = inOrder(job)
      print(text)
      order.advance(to: finished)
    case .finished:
      // Jobs that were never started leave gaps in the order. Print the records after them now.
      let rest = state.withLock { state in
        defer { state.held = [:] }
        return state.held.sorted { $0.key < $1.key }.map(\.value)
      }
      print(rest.joined())
    default: return
    }
  }

  /// The records that can be printed now, and the index up to which all jobs are finished.
  private func inOrder(_ job: JobResult) -> (text: String, finished: Int) {
    let text = job.outputs.map(record).joined()
    return state.withLock { state in
      state.held[job.index] = text
      var ready = ""
      while let next = state.held.removeValue(forKey: state.next) {
        ready += next
        state.next += 1
      }
      return (ready, state.next - 1)
    }
  }

  private func record(_ result: OutputResult) -> String {
    let text = form.json ? ResultLine.json(result) : ResultLine.text(result)
    return text.map { $0 + (form.isNULSeparated ? "\0" : "\n") } ?? ""
  }

  private func print(_ text: String) {
    // Ignore the result: the owner of `write` notices that the reader has closed its end.
    if !text.isEmpty { _ = write(text) }
  }
}
