import Curl
import ImageCaches
import ObjectStorage

/// The outcome of one transfer.
struct TransferOutcome: Sendable {
  /// The request as sent.
  var state: RequestState
  /// The fields as sent.
  var sent: [HeaderField] = []
  /// The key that the request was signed with; nil if it wasn't signed.
  var accessKey: AccessKey?
  /// In seconds since 1970, like ``responseTime``.
  var requestTime = 0.0
  var responseTime = 0.0
  /// nil if the transfer failed.
  var result: TransferResult?
  var body = BodySink.Body()
  var error: DownloadError?
  var curlError: CurlError?

  /// The head of the complete response; nil if the transfer failed. The head of a range response is changed to describe
  /// the whole body.
  var head: ResponseHead? {
    guard var head = result?.head, body.isResumed else { return result?.head }
    head.status = 200
    head.reason = "OK"
    head.fields.remove("Content-Range")
    head.fields.set("Content-Length", String(body.byteCount))
    return head
  }

  /// The signal about the host; nil if the outcome doesn't concern the host.
  var signal: HostSignal? {
    if let head = result?.head ?? body.abandonedError {
      return head.status == 429 || head.status == 503 ? .overloaded : .answered
    }
    guard let curlError, curlError.reason == .transport else { return nil }
    if curlError.status != nil { return curlError.curlCode == 28 ? .overloaded : .answered }
    return RetryPolicy.isTransient(curlCode: curlError.curlCode) ? .silent : nil
  }
}
