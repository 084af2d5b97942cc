/// Receives a response while it arrives. All calls come from the engine's thread, one after the other; a call
/// that blocks holds up every transfer.
public protocol TransferSink: AnyObject, Sendable {
  /// The head of the final response: called once, before the body's first byte or, where there is no body, at the end.
  /// Interim (1xx) answers and challenges that libcurl answers itself are not shown.
  /// - Returns: whether the body is wanted.
  func receive(head: ResponseHead) -> Bool

  /// The next bytes of the body, which are only lent for the call.
  /// - Returns: whether more is wanted.
  func receive(bytes: UnsafeRawBufferPointer) -> Bool
}

/// How a transfer that received a whole response went.
public struct TransferResult: Sendable {
  /// The final response's head.
  public var head: ResponseHead
  /// The body's length in bytes, as received.
  public var byteCount: Int
  /// Where a redirecting answer points, resolved against the request's URL.
  public var redirectURL: String?
  /// The address that answered; nil where it isn't known.
  public var address: IPAddress?
  /// How many requests were sent for it: more than one where libcurl sent it again because a reused connection had died, or answered a challenge.
  public var requests: Int
  /// How many connections were made for it; 0 where one was reused.
  public var connections: Int
}
