/// One download from its request to its end, and everybody who waits for it.
struct InFlightDownload: Sendable {
  /// One call that waits for a download.
  struct Waiter: Sendable {
    let receipt: RequestReceipt
    /// Called once, with the result or a cancellation.
    let completion: @Sendable (DownloadStateMachine.Outcome) -> Void
    var progress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)?
    /// Whether the call joined a download that another call had begun.
    var joined = false
    /// Whether it stands for a validation in the background: no call, and not counted as one.
    var isBackground = false
  }

  /// Where the download is. What is large is indirect: a hundred thousand downloads may be pending.
  enum State: Sendable {
    /// Waits for its cache lookup.
    case pending
    /// Is looked up in the cache, or is a local source that is read.
    case lookingUp
    /// Needs a transfer, and waits until every earlier request is looked up.
    indirect case lookedUp(RequestState)
    /// Waits for a slot.
    indirect case queued(RequestState)
    /// Has a slot; sends a request to this URL.
    indirect case transferring(WebAddress)
    /// Has no slot; its response is stored, or it waits for another process that sends the request.
    case resolving
    /// Waits for its next attempt.
    indirect case waitingToRetry(RequestState)
  }

  let key: RequestKey
  var state = State.pending
  var priority: Int
  var waiters: [Waiter]
  /// Whether it has had a slot, or was refused one.
  var hasStarted = false
  /// Whether its transfer was told to stop. New requests don't join it.
  var isCancelled = false
}
