import CCurl
import Synchronization

/// What other threads ask of the engine's thread.
enum TransferMessage: Sendable {
  case start(TransferID, TransferOptions, any TransferSink, TransferCompletion)
  case cancel(TransferID)
  case stop(@Sendable () -> Void)
}

typealias TransferCompletion = @Sendable (Result<TransferResult, CurlError>) -> Void

/// The messages that wait for the engine's thread, and the bell that wakes it.
final class TransferMailbox: Sendable {
  private struct State {
    var messages: [TransferMessage] = []
    /// nil once the engine's thread has ended: nothing may ring then.
    var multi: MultiHandle?
  }

  private let state: Mutex<State>

  /// How many connections the thread keeps open.
  let connectionLimit: Int

  init(connectionLimit: Int) throws(CurlError) {
    self.connectionLimit = connectionLimit
    // Thread-safe, and done once for the process, since 7.84.
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let multi = curl_multi_init() else {
      throw CurlError(engineFailure: "libcurl can't be started; there may be too little memory")
    }
    state = Mutex(State(multi: MultiHandle(pointer: multi)))
  }

  /// The handle, for the thread that will own it.
  var multi: MultiHandle? { state.withLock(\.multi) }

  /// Leaves a message, or answers it at once where the engine has ended.
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

  /// All messages since the last call, in their order.
  func take() -> [TransferMessage] {
    state.withLock { state in
      defer { state.messages.removeAll(keepingCapacity: true) }
      return state.messages
    }
  }

  /// Called by the thread at its end: destroys the handle and returns what had still come in.
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
/// `@unchecked Sendable`: the pointer is used by the engine's thread alone, but for `curl_multi_wakeup`, which libcurl
/// allows from any thread, and which the mailbox calls only while it holds the handle.
struct MultiHandle: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer
}
