import Dispatch
import ImageBatch
import Synchronization

/// Tells whoever listens what happens in a batch: one event after the other, on a thread of its own, so that a slow
/// reader holds the batch back and nothing else.
final class Reporting: Sendable {
  struct Results { var json: Bool; var ordered: Bool; var nul: Bool }
  private let queue = DispatchQueue(label: "imagemill.reporting")
  private let readerGone = Mutex<(@Sendable () -> Void)?>(nil)
  private let results: Results?

  init(_ options: BatchOptions, results: Results? = nil) throws { self.results = results }

  func receive(_ event: BatchEvent) async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        handle(event)
        continuation.resume()
      }
    }
  }

  private func handle(_ event: BatchEvent) {
    switch event {
    case .outputFinished(let r):
      if let e = r.error { StandardError.write("imagemill: error: \(r.source): \(e.stage.rawValue): \(e.message)\n") }
      else if results != nil, let path = r.path {
        if !StandardOutput.write(path + "\n") { readerGone.withLock { $0 }?() }
      }
    case .finished(let s): StandardError.write("\(s)\n")
    case .warning(let w): StandardError.write("warning: \(w.source ?? "") \(w.message)\n")
    default: break
    }
  }

  func note(_ event: BatchEvent) { queue.async { self.handle(event) } }
  func onReaderGone(_ action: @escaping @Sendable () -> Void) { readerGone.withLock { $0 = action } }
  func finish() throws {}
}
