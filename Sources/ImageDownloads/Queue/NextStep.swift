/// What a download needs after a cache lookup or a transfer.
enum NextStep: Sendable {
  case complete(DownloadStateMachine.Outcome)
  /// The stored response is used, and the origin is asked afterwards whether it has changed (RFC 5861 §3).
  case completeAndValidate(Response, RequestKey)
  /// A request to `state.url`, with a slot.
  case transfer(RequestState)
  case retry(Retry)

  /// Another attempt.
  struct Retry: Sendable {
    var state: RequestState
    /// The wait before it, in seconds.
    let seconds: Double
    /// Why the last attempt failed.
    let error: DownloadError
    /// For how long the host is left alone, in seconds; nil if it asked for nothing.
    var hostPause: Double?
  }
}
