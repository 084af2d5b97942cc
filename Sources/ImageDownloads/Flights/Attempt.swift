import Curl
import ImageCaches

/// What one transfer has brought.
struct Attempt: Sendable {
  var journey: Journey
  var key: ContentDigest?
  var sent: [HeaderField] = []
  var requestTime = 0.0
  var responseTime = 0.0
  var result: TransferResult?
  var body = BodySink.Body()
  var error: DownloadError?
  var curlError: CurlError?

  init(journey: Journey, key: ContentDigest?, sent: [HeaderField] = [], requestTime: Double = 0) {
    self.journey = journey
    self.key = key
    self.sent = sent
    self.requestTime = requestTime
  }

  init(journey: Journey, key: ContentDigest?, error: DownloadError) {
    self.init(journey: journey, key: key)
    self.error = error
  }
}
