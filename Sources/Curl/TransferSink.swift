public import WebValues

/// Receives a response as it arrives. The engine's thread makes all calls, one at a time; a call that blocks delays
/// every transfer.
public protocol TransferSink: AnyObject, Sendable {
  /// Receives the head of the response: once, before the body's first byte, or at the end if there is no body.
  /// Interim (1xx) responses, and challenges that libcurl answers itself, are skipped.
  /// - Returns: Whether to continue with the body.
  func receive(head: ResponseHead) -> Bool

  /// Receives the next bytes of the body. The buffer is valid only during the call.
  /// - Returns: Whether to continue.
  func receive(bytes: UnsafeRawBufferPointer) -> Bool
}

/// The result of a transfer that received a complete response.
public struct TransferResult: Sendable {
  /// The final response's head.
  public var head: ResponseHead
  /// The body's length in bytes, as received.
  public var byteCount: Int
  /// The target of a redirect, resolved against the request's URL.
  public var redirectURL: String?
  /// The peer's address; nil if unknown.
  public var address: IPAddress?
  /// The number of requests sent: more than one if libcurl answered a challenge, or resent the request because a reused
  /// connection had died.
  public var requests: Int
  /// The number of connections opened; 0 if one was reused.
  public var connections: Int
}
