import Curl
import ImageCaches

/// What one transfer has brought.
struct TransferOutcome: Sendable {
  var state: RequestState
  var key: ContentDigest?
  var sent: [HeaderField] = []
  var requestTime = 0.0
  var responseTime = 0.0
  var result: TransferResult?
  var body = BodySink.Body()
  var error: DownloadError?
  var curlError: CurlError?

  init(state: RequestState, key: ContentDigest?, sent: [HeaderField] = [], requestTime: Double = 0) {
    self.state = state
    self.key = key
    self.sent = sent
    self.requestTime = requestTime
  }

  init(state: RequestState, key: ContentDigest?, error: DownloadError) {
    self.init(state: state, key: key)
    self.error = error
  }
}
