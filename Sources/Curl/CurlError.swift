import CCurl
public import WebValues

/// The reason that a transfer ended without a complete response.
public struct CurlError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public enum Reason: Hashable, Sendable {
    /// libcurl failed; `curlCode` holds its code.
    case transport
    /// The calling task was cancelled.
    case cancelled
    /// The engine has been shut down.
    case shutDown
    /// The body, or its Content-Length, exceeds ``TransferOptions/byteLimit``.
    case byteLimitExceeded
    /// The server sent more bytes than it announced.
    case longerThanAnnounced
    /// The status line and header fields exceed 256 KiB.
    case headTooLong
    /// ``TransferOptions/allowsAddress`` refused every address that was tried; this is the last one.
    case addressRefused(IPAddress)
    /// The sink returned false.
    case stoppedBySink
    /// The request's body can't be read, or is shorter than announced.
    case bodyUnreadable
  }

  /// The kind of failure.
  public let reason: Reason
  /// libcurl's `CURLcode` (7 couldn't connect, 18 partial body, 28 timed out …); 0 if libcurl didn't fail.
  public let curlCode: Int
  /// What failed: libcurl's message about this transfer if libcurl failed.
  public let message: String
  /// The status received before the failure.
  public let status: Int?
  /// The URL of the request, without user name and password.
  public let url: String
  /// The bytes of the body that reached the sink.
  public let bytesReceived: Int
  /// The number of requests sent; 0 if no connection was made.
  public var requests = 0

  /// `message (curl CODE)`.
  public var description: String { curlCode == 0 ? message : "\(message) (curl \(curlCode))" }
}

extension CurlError.Reason {
  /// The failure in words, for one that libcurl has none for.
  /// - Parameters:
  ///   - byteLimit: The limit that the body exceeds.
  ///   - announced: The length that the server announced.
  func text(byteLimit: Int, announced: Int) -> String {
    switch self {
    case .transport: "the transfer failed"
    case .cancelled: "the transfer was cancelled"
    case .shutDown: "the transfer engine has been shut down"
    case .byteLimitExceeded: "the body is longer than \(byteLimit) bytes"
    case .longerThanAnnounced: "the body is longer than the \(announced) bytes announced"
    case .headTooLong: "the response header is longer than \(ResponseHeadParser.limit) bytes"
    case .addressRefused(let address): "the address \(address) is not allowed"
    case .stoppedBySink: "the receiver stopped the transfer"
    case .bodyUnreadable: "the file to send can't be read, or has been shortened"
    }
  }
}

extension CurlError {
  init(engineFailure message: String) {
    self.init(
      reason: .transport, curlCode: Int(CURLE_FAILED_INIT.rawValue), message: message, status: nil, url: "",
      bytesReceived: 0)
  }

  static func cancelled(_ url: String) -> CurlError {
    CurlError(
      reason: .cancelled, curlCode: 0, message: "the transfer was cancelled", status: nil, url: url,
      bytesReceived: 0)
  }

  static func shutDown(_ url: String) -> CurlError {
    CurlError(
      reason: .shutDown, curlCode: 0, message: "the transfer engine has been shut down", status: nil,
      url: url,
      bytesReceived: 0)
  }
}
