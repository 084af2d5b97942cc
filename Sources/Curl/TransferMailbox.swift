import CCurl
import CCurlLibrary
import Synchronization

/// A message to the engine's thread.
enum TransferMessage: Sendable {
  case start(TransferID, TransferOptions, any TransferSink, TransferCompletion)
  case cancel(TransferID)
  case stop(@Sendable () -> Void)
}

typealias TransferCompletion = @Sendable (Result<TransferResult, CurlError>) -> Void

/// The queue of messages to the engine's thread. Posting a message wakes the thread.
final class TransferMailbox: Sendable {
  private struct State {
    var messages: [TransferMessage] = []
    /// nil once the engine's thread has ended and the handle is freed.
    var multi: MultiHandle?
  }

  private let state: Mutex<State>

  let connectionLimit: Int

  init(connectionLimit: Int) throws(CurlError) {
    self.connectionLimit = connectionLimit
    if let reason = ccurl_library_load() {
      throw CurlError(
        engineFailure: "libcurl can't be loaded (\(String(cString: reason))); install it (Debian: libcurl4)")
    }
    // Since 7.84 this is thread-safe and initializes libcurl once per process.
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let multi = curl_multi_init() else {
      throw CurlError(engineFailure: "libcurl can't be initialized; memory may be exhausted")
    }
    state = Mutex(State(multi: MultiHandle(pointer: multi)))
  }

  /// The multi handle, for the thread that owns it.
  var multi: MultiHandle? { state.withLock(\.multi) }

  /// Queues a message, or completes it immediately if the engine has ended.
  func post(_ message: TransferMessage) {
    let isDelivered = state.withLock { state in
      guard let multi = state.multi else { return false }
      state.messages.append(message)
      curl_multi_wakeup(multi.pointer)
      return true
    }
    guard !isDelivered else { return }
    switch message {
    case .start(_, let options, _, let completion): completion(.failure(.shutDown(options.url)))
    case .cancel: break
    case .stop(let completion): completion()
    }
  }

  /// The messages posted since the last call, in order.
  func take() -> [TransferMessage] {
    state.withLock { state in
      defer { state.messages.removeAll(keepingCapacity: true) }
      return state.messages
    }
  }

  /// Frees the multi handle and returns the remaining messages. Called when the thread ends or can't start.
  @discardableResult
  func abandon() -> [TransferMessage] {
    let (multi, messages) = state.withLock { state in
      defer { state = State(multi: nil) }
      return (state.multi, state.messages)
    }
    if let multi { curl_multi_cleanup(multi.pointer) }
    return messages
  }
}

/// A libcurl multi handle.
///
/// `@unchecked Sendable`: only the engine's thread uses the pointer, except for `curl_multi_wakeup`, which libcurl
/// allows on any thread and which the mailbox calls only while it holds the handle.
struct MultiHandle: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer
}
