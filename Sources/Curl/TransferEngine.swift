import CCurl
import Glibc
import Synchronization
import SystemIO

/// Performs HTTP transfers on one thread, which owns a libcurl multi handle with its connections, DNS cache and TLS
/// sessions.
///
/// Any number of tasks may call ``perform(_:into:)`` at once. The caller limits the number of active transfers: a
/// transfer's timeouts would run while it waits in libcurl's queue.
///
///     let engine = try TransferEngine()
///     let result = try await engine.perform(TransferOptions(url: "https://example.org/a.png"), into: sink)
///     await engine.shutDown()
public final class TransferEngine: Sendable {
  private let mailbox: TransferMailbox
  private let thread: Mutex<pthread_t?>

  /// Starts the transfer thread.
  /// - Parameter connectionLimit: The maximum number of connections kept open for reuse. Each takes a file
  ///   descriptor.
  /// - Throws: `CurlError` if libcurl can't be initialized or the thread can't be started.
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

  /// Performs one transfer and returns when `sink` has received the last byte. Any HTTP status is a result; redirects
  /// are not followed.
  /// - Parameters:
  ///   - options: The request and its limits.
  ///   - sink: Receives the response on the engine's thread.
  /// - Throws: `CurlError`. If the calling task is cancelled, the transfer is aborted and the reason is `.cancelled`.
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

  /// Aborts all transfers and waits for the thread to end. Aborted and later calls throw with reason `.shutDown`.
  public func shutDown() async {
    await withCheckedContinuation { continuation in
      mailbox.post(.stop { continuation.resume() })
    }
    join()
  }

  private func join() {
    let joinable = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    guard let joinable else { return }
    mailbox.post(.stop {})
    // A completion on the thread itself may drop the last reference, and a thread can't join itself.
    if pthread_equal(joinable, pthread_self()) != 0 {
      pthread_detach(joinable)
    } else {
      pthread_join(joinable, nil)
    }
  }
}

/// Identifies a transfer, and records its cancellation, which may come before the start: the calling task may already
/// be cancelled.
final class TransferID: Hashable, Sendable {
  private let cancelled = Atomic(false)

  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
  func cancel() { cancelled.store(true, ordering: .releasing) }

  static func == (left: TransferID, right: TransferID) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
