/// The next step of a download after a cache lookup or a transfer.
enum NextStep: Sendable {
  case complete(DownloadStateMachine.Outcome)
  /// Use the stored response, and validate it afterwards (RFC 5861 §3).
  case completeAndValidate(Response, RequestKey)
  /// Send a request to `state.url`, with a slot.
  case transfer(RequestState)
  case retry(Retry)

  struct Retry: Sendable {
    var state: RequestState
    /// The wait before the attempt, in seconds.
    let seconds: Double
    /// The failure of the last attempt.
    let error: DownloadError
    /// The pause for all downloads from the host, in seconds; nil for none.
    var hostPause: Double?
  }
}
