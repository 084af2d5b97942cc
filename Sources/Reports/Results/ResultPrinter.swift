package import ImageBatch
import Synchronization

/// Prints `pipe`'s results: a record for each output, flushed as it is finished.
package final class ResultPrinter: BatchReporter {
  /// What a record is.
  package struct Form: Sendable {
    /// An object, instead of a path.
    var json = false
    /// In the order of the input, of which this lets no more be read than can wait.
    var order: OrderWindow?
    /// Ended by NUL instead of a line break.
    var isNULSeparated = false

    /// - Parameters:
    ///   - json: An object for each output, instead of its path.
    ///   - order: Holds the input back, where results are in its order.
    ///   - isNULSeparated: Whether a record ends in NUL instead of a line break.
    package init(json: Bool = false, order: OrderWindow? = nil, isNULSeparated: Bool = false) {
      self.json = json
      self.order = order
      self.isNULSeparated = isNULSeparated
    }
  }

  private struct State {
    /// Of jobs that are finished while an earlier one isn't.
    var held: [Int: String] = [:]
    var next = 1
  }

  private let form: Form
  private let write: TextOutput
  private let state = Mutex(State())

  /// A printer that writes whole records with `write`.
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
      // Jobs that were never started leave gaps: what is behind them has waited long enough.
      let rest = state.withLock { state in
        defer { state.held = [:] }
        return state.held.sorted { $0.key < $1.key }.map(\.value)
      }
      print(rest.joined())
    default: return
    }
  }

  /// What can be printed now, and the index up to which all jobs are finished.
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
    // A reader that is gone is noticed by whoever made `write`.
    if !text.isEmpty { _ = write(text) }
  }
}
