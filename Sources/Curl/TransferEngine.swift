import CCurl
import Glibc
import Synchronization
import SystemIO

/// Carries out HTTP transfers: one thread that owns one libcurl multi handle with its connections, DNS answers and TLS sessions.
///
/// Any number of tasks may call ``perform(_:into:)`` at once; how many at once is wise is the caller's matter (an engine has no queue of its own,
/// because libcurl's would let time-outs run while waiting).
///
///     let engine = try TransferEngine()
///     let result = try await engine.perform(TransferOptions(url: "https://example.org/a.png"), into: sink)
///     await engine.shutDown()
public final class TransferEngine: Sendable {
  private let mailbox: TransferMailbox
  private let thread: Mutex<pthread_t?>

  /// Starts the thread.
  /// - Parameter connectionLimit: how many connections are kept open for further transfers; each is a descriptor.
  /// - Throws: `CurlError` where libcurl or the system refuses.
  public init(connectionLimit: Int = 256) throws(CurlError) {
    let mailbox = try TransferMailbox(connectionLimit: connectionLimit)
    self.mailbox = mailbox
    var thread = pthread_t()
    let context = Unmanaged.passRetained(mailbox)
    let status = pthread_create(&thread, nil, Self.threadMain, context.toOpaque())
    guard status == 0 else {
      context.release()
      mailbox.abandon()
      throw CurlError(engineFailure: "can't start the transfer thread: \(SystemError(code: status).text)")
    }
    self.thread = Mutex(thread)
  }

  private static let threadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    context in
    guard let context else { return nil }
    TransferLoop(mailbox: Unmanaged<TransferMailbox>.fromOpaque(context).takeRetainedValue()).run()
    return nil
  }

  deinit { join() }

  /// Carries out one transfer and returns when the last byte has been handed to `sink`. Any HTTP status is a result; redirects are not followed.
  ///
  /// If the calling task is cancelled, the transfer is aborted and the call throws, reason `.cancelled`.
  /// - Throws: `CurlError`.
  public func perform(
    _ options: TransferOptions, into sink: any TransferSink
  ) async throws(CurlError) -> TransferResult {
    let id = TransferID()
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        mailbox.post(.start(id, options, sink) { continuation.resume(returning: $0) })
      }
    } onCancel: {
      id.cancel()
      mailbox.post(.cancel(id))
    }
    return try outcome.get()
  }

  /// Aborts what is in flight, ends the thread and waits for its end. Calls after this throw, reason `.shutDown`.
  public func shutDown() async {
    await withCheckedContinuation { continuation in
      mailbox.post(.stop { continuation.resume() })
    }
    join()
  }

  /// Waits for the thread, which is at its end or soon will be.
  private func join() {
    let joinable = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    guard let joinable else { return }
    mailbox.post(.stop {})
    // The last reference may be dropped by a completion on the thread itself, which can't wait for itself.
    if pthread_equal(joinable, pthread_self()) != 0 {
      pthread_detach(joinable)
    } else {
      pthread_join(joinable, nil)
    }
  }
}

/// Names a transfer from before it is posted. A cancellation may overtake the start (the task may be cancelled already when it calls),
/// so it is remembered here and the start finds it.
final class TransferID: Hashable, Sendable {
  private let cancelled = Atomic(false)

  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
  func cancel() { cancelled.store(true, ordering: .releasing) }

  static func == (left: TransferID, right: TransferID) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
