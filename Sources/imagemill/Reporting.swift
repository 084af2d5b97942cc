import ImageBatch
import Synchronization

/// Tells whoever listens what happens in a batch: one event after the other, on a thread of its own, so that a slow
/// reader holds the batch back and nothing else.
final class Reporting: Sendable {
  private let readerGone = Mutex<(@Sendable () -> Void)?>(nil)

  init(_ options: BatchOptions) throws {}

  func receive(_ event: BatchEvent) async {
    switch event {
    case .outputFinished(let r):
      if let e = r.error { StandardError.write("imagemill: error: \(r.source): \(e.stage.rawValue): \(e.message)\n") }
    case .finished(let s): StandardError.write("\(s)\n")
    case .warning(let w): StandardError.write("warning: \(w.source ?? "") \(w.message)\n")
    default: break
    }
  }

  func note(_ event: BatchEvent) {}
  func onReaderGone(_ action: @escaping @Sendable () -> Void) { readerGone.withLock { $0 = action } }
  func finish() throws {}
}
