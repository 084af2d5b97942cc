/// A download in progress, and the calls that wait for it.
struct InFlightDownload: Sendable {
  /// A call that waits for a download.
  struct Waiter: Sendable {
    let receipt: RequestReceipt
    /// Called once, with the result or a cancellation.
    let completion: @Sendable (DownloadStateMachine.Outcome) -> Void
    var progress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)?
    /// Whether the call joined another call's download.
    var joined = false
    /// Whether this is a background validation, which isn't counted as a call.
    var isBackground = false
  }

  /// The states of ``DownloadStateMachine``'s table. Large values are indirect: 100,000 downloads may be pending.
  enum State: Sendable {
    /// Waiting for a cache lookup.
    case pending
    /// Being looked up in the cache, or read from a local source.
    case lookingUp
    /// Waiting for the lookups of all earlier requests before it is queued.
    indirect case lookedUp(RequestState)
    /// Waiting for a slot.
    indirect case queued(RequestState)
    /// Holding a slot and sending a request to this URL.
    indirect case transferring(WebAddress)
    /// Without a slot: storing a response, or waiting for another process that sends the request.
    case resolving
    /// Waiting for the next attempt.
    indirect case waitingToRetry(RequestState)
  }

  let key: RequestKey
  var state = State.pending
  var priority: Int
  var waiters: [Waiter]
  /// Whether the download has had a slot, or was refused one.
  var hasStarted = false
  /// Whether the transfer is being aborted. New requests don't join it.
  var isCancelled = false
}
