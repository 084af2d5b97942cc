import CCurl

/// Why a transfer did not end with a whole response.
public struct CurlError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of failure.
  public enum Reason: Hashable, Sendable {
    /// libcurl's own: `curlCode` says which.
    case transport
    /// The awaiting task was cancelled, or `cancel` was called.
    case cancelled
    /// The engine has been shut down.
    case shutDown
    /// The body is, or is announced to be, longer than `TransferOptions.byteLimit`.
    case byteLimitExceeded
    /// The server sent more than its Content-Length announced.
    case longerThanAnnounced
    /// The response's fields are longer than any honest server's.
    case headTooLong
    /// `TransferOptions.allowsAddress` refused every address that was tried, this one last.
    case addressRefused(IPAddress)
    /// The sink asked for no more.
    case stoppedBySink
  }

  /// What kind of failure.
  public let reason: Reason
  /// libcurl's `CURLcode` (7 couldn't connect, 18 partial, 28 timed out …); 0 where it isn't libcurl that failed.
  public let curlCode: Int
  /// libcurl's words about this transfer.
  public let message: String
  /// The status received before the failure.
  public let status: Int?
  /// The URL of the request, without user name and password.
  public let url: String
  /// Bytes of the body that reached the sink.
  public let bytesReceived: Int
  /// How many requests were sent; 0 where there was no connection.
  public var requests = 0

  /// `message (curl CODE)`.
  public var description: String { curlCode == 0 ? message : "\(message) (curl \(curlCode))" }
}
