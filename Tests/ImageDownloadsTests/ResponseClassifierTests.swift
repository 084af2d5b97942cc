import Glibc
import ImageCaches
import Testing

@testable import Curl
@testable import ImageDownloads

/// What a response, or the lack of one, means: each verdict, without a socket or a disk.
@Suite("The response classifier", .timeLimit(.minutes(8)))
struct ResponseClassifierTests {
  private let classifier = ResponseClassifier(
    validation: ResponseValidation(acceptableContentTypes: ContentTypes.images), redirectLimit: 2,
    longestRetryWait: 60)

  private func state(
    wantsImage: Bool = true, followsRedirects: Bool = true, pinned: ContentDigest? = nil
  ) throws -> RequestState {
    let key = RequestKey(
      source: .url("https://a.example/a"), headers: [], cacheMode: .standard, pinnedDigest: pinned,
      wantsImage: wantsImage, followsRedirects: followsRedirects)
    return RequestState(key, originalURL: try #require(key.url))
  }

  private func outcome(
    _ state: RequestState, _ status: Int, _ fields: [HeaderField] = [], body: [UInt8] = imageBytes(1)
  ) -> TransferOutcome {
    var outcome = TransferOutcome(state: state)
    outcome.result = TransferResult(
      head: ResponseHead(status: status, fields: fields), byteCount: body.count, redirectURL: nil,
      address: nil,
      requests: 1, connections: 1)
    outcome.body.held = body
    outcome.body.prefix = body
    outcome.body.byteCount = body.count
    return outcome
  }

  private func failed(_ state: RequestState, _ code: Int, status: Int? = nil) -> TransferOutcome {
    var outcome = TransferOutcome(state: state)
    let error = CurlError(
      reason: .transport, curlCode: code, message: "it broke", status: status, url: "https://a.example/a",
      bytesReceived: 0, requests: 1)
    outcome.curlError = error
    outcome.error = DownloadError(
      error, source: "a", policy: AddressPolicy(), configuration: ImageDownloader.Configuration())
    return outcome
  }

  private func verdict(_ outcome: TransferOutcome) -> String {
    text(classifier.verdict(on: outcome, now: 784_111_770))
  }

  private func text(_ verdict: ResponseClassifier.Verdict) -> String {
    switch verdict {
    case .resend(let state, let discards):
      let parts = [discards ? "discards" : nil, state.validating == nil ? nil : "conditional"].compactMap(
        \.self)
      return (["resend"] + parts).joined(separator: " ")
    case .fail(let error, let discards): return "fail \(error.code.rawValue)\(discards ? " discards" : "")"
    case .notModified: return "not modified"
    case .store(let head, let digest):
      return "store \(head.status)\(digest == ContentDigest(hashing: imageBytes(1)) ? "" : " other bytes")"
    case .unavailable(let error, let terms, let otherwise):
      let wait = terms.map { terms in
        let words = [
          terms.minimumWait.map { "after \($0)" }, terms.pausesHost ? "pause" : nil,
          terms.mayBeHTTP2.map { $0 ? "http2" : "not http2" },
        ]
        return "retry" + words.compactMap(\.self).map { " " + $0 }.joined()
      }
      return "\(error.code.rawValue): \(wait ?? "no retry"), else \(text(otherwise))"
    }
  }

  // MARK: Complete responses

  @Test("a success is stored, and so is an error that no retry helps")
  func complete() throws {
    let state = try state()
    #expect(verdict(outcome(state, 200)) == "store 200")
    #expect(verdict(outcome(state, 404)) == "store 404")
    #expect(verdict(outcome(state, 301, [HeaderField("Location", "/b")])) == "store 301")
    #expect(verdict(outcome(state, 304)) == "store 304", "nobody asked for a validation")
  }

  @Test("an empty body, a part and other bytes than the pinned ones are no image")
  func refused() throws {
    #expect(verdict(outcome(try state(), 200, body: [])) == "fail empty-body")
    #expect(verdict(outcome(try state(), 206)) == "fail transfer-failed")
    let pinned = ContentDigest(hashing: imageBytes(1))
    #expect(verdict(outcome(try state(pinned: pinned), 200)) == "store 200")
    #expect(
      verdict(outcome(try state(pinned: pinned), 200, body: imageBytes(2))) == "fail digest-mismatch discards"
    )
    #expect(verdict(outcome(try state(wantsImage: false), 200, body: [])) == "store 200 other bytes")
  }

  @Test("a body that was refused on the way, or that fits no range, is not stored")
  func stopped() throws {
    var stopped = outcome(try state(), 200)
    stopped.body.failure = DownloadError(.notAnImage, "a page", source: "a")
    #expect(verdict(stopped) == "fail not-an-image")
    #expect(classifier.failure(of: stopped)?.code == .notAnImage)
    stopped.body.mustRestart = true
    #expect(verdict(stopped) == "resend discards")
  }

  @Test("the response to a range request that was put together describes the whole")
  func resumed() throws {
    var resumed = outcome(try state(), 206, [HeaderField("Content-Range", "bytes 9-299/300")])
    resumed.body.isResumed = true
    #expect(verdict(resumed) == "store 200")
    #expect(resumed.head?.fields == [HeaderField("Content-Length", "300")])
  }

  @Test("a 304 confirms the stored response, unless it names another one")
  func notModified() throws {
    var state = try state()
    state.validating = StoredResponse(
      head: ResponseHead(status: 200, fields: [HeaderField("ETag", "\"1\"")]), request: [], requestTime: 0,
      responseTime: 0, digest: ContentDigest(hashing: imageBytes(1)), salt: [])
    #expect(verdict(outcome(state, 304)) == "not modified")
    #expect(verdict(outcome(state, 304, [HeaderField("ETag", "\"1\"")])) == "not modified")
    #expect(verdict(outcome(state, 304, [HeaderField("ETag", "\"2\"")])) == "resend")
  }

  // MARK: Failures

  @Test(
    "statuses that may pass are tried again; 429 and 503 with Retry-After pause the host",
    arguments: [
      (500, nil, "retry"), (503, nil, "retry"), (429, nil, "retry pause"),
      (503, "7", "retry after 7.0 pause"),
      (500, "7", "retry after 7.0"), (429, "Sun, 06 Nov 1994 08:49:37 GMT", "retry after 7.0 pause"),
    ])
  func retryable(status: Int, retryAfter: String?, terms: String) throws {
    let fields = retryAfter.map { [HeaderField("Retry-After", $0)] } ?? []
    #expect(
      verdict(outcome(try state(), status, fields)) == "http-status: \(terms), else fail http-status")
    // Whoever takes any response gets the last one.
    let any = try state(wantsImage: false)
    #expect(verdict(outcome(any, status, fields)) == "http-status: \(terms), else store \(status)")
  }

  @Test("a 400 is tried again only where its body says that it may pass")
  func badRequest() throws {
    #expect(verdict(outcome(try state(), 400)) == "store 400")
    let body = Array("<Error><Code>RequestTimeout</Code></Error>".utf8)
    #expect(verdict(outcome(try state(), 400, body: body)) == "http-status: retry, else fail http-status")
  }

  @Test("who asks to wait for longer than is waited is not asked again")
  func throttled() throws {
    let fields = [HeaderField("Retry-After", "61")]
    #expect(verdict(outcome(try state(), 429, fields)) == "throttled: no retry, else fail throttled")
    let any = try state(wantsImage: false)
    #expect(verdict(outcome(any, 429, fields)) == "throttled: no retry, else store 429")
  }

  @Test("an error that is good for a while is a response as any other for who takes any")
  func explicitlyFresh() throws {
    let fields = [HeaderField("Cache-Control", "max-age=60")]
    #expect(verdict(outcome(try state(wantsImage: false), 500, fields)) == "store 500")
    #expect(verdict(outcome(try state(), 500, fields)) == "http-status: retry, else fail http-status")
  }

  @Test("an error response whose body was too long to be read means the same as a short one")
  func longErrorBody() throws {
    var long = TransferOutcome(state: try state())
    long.body.abandonedError = ResponseHead(status: 404)
    #expect(verdict(long) == "fail http-status")
    #expect(classifier.failure(of: long)?.status == 404)
    long.body.abandonedError = ResponseHead(status: 503)
    #expect(verdict(long) == "http-status: retry, else fail http-status")
  }

  @Test("failures of the transport: which may pass, and which HTTP/2 may have caused")
  func transport() throws {
    let state = try state()
    #expect(verdict(failed(state, 60)) == "fail tls-failed")
    #expect(verdict(failed(state, 7)) == "connection-failed: retry not http2, else fail connection-failed")
    #expect(verdict(failed(state, 92)) == "transfer-failed: retry http2, else fail transfer-failed")
    #expect(verdict(failed(state, 28)) == "timed-out: retry http2, else fail timed-out")
    #expect(verdict(failed(state, 28, status: 200)) == "timed-out: retry not http2, else fail timed-out")
    #expect(verdict(TransferOutcome(state: state)) == "fail cancelled")
    #expect(classifier.failure(of: failed(state, 7))?.code == .connectionFailed)
  }

  @Test("what an outcome says of its host")
  func signals() throws {
    let state = try state()
    #expect(outcome(state, 200).signal == .answered && outcome(state, 500).signal == .answered)
    #expect(outcome(state, 429).signal == .overloaded && outcome(state, 503).signal == .overloaded)
    #expect(failed(state, 7).signal == .silent && failed(state, 60).signal == nil)
    #expect(failed(state, 28, status: 200).signal == .overloaded)
    #expect(failed(state, 18, status: 200).signal == .answered)
    #expect(TransferOutcome(state: state).signal == nil)
  }

  // MARK: Conclusions

  private func conclusion(
    _ state: RequestState, _ status: Int, _ fields: [HeaderField] = [],
    _ disposition: StoredSource.Disposition = .downloaded
  ) -> String {
    var response = Response(
      file: "/a", digest: ContentDigest(hashing: imageBytes(1)),
      fingerprint: FileFingerprint(path: "/a", status: stat()),
      isFingerprintCertain: true)
    response.head = ResponseHead(status: status, fields: fields)
    response.disposition = disposition
    switch classifier.conclusion(response, for: state) {
    case .redirect(let next): return "redirect \(next.url) \(next.redirectCount)"
    case .step(.complete(.success)): return "complete"
    case .step(.complete(.failure(let error))): return error.code.rawValue
    case .step(.transfer): return "transfer"
    case .step: return "another step"
    }
  }

  @Test("redirects are followed as far as the limit, to http and https, and never from https to http")
  func redirects() throws {
    var state = try state()
    state.retries = 2
    func leads(to location: String) -> String { conclusion(state, 302, [HeaderField("Location", location)]) }
    #expect(leads(to: "/b") == "redirect https://a.example/b 1")
    #expect(leads(to: "https://b.example/c") == "redirect https://b.example/c 1")
    #expect(leads(to: "http://a.example/b") == "bad-redirect")
    #expect(leads(to: "file:///etc/passwd") == "bad-redirect")
    #expect(conclusion(state, 302) == "http-status", "a redirect to nowhere is an error")
    state.redirectCount = 2
    #expect(leads(to: "/b") == "too-many-redirects")
    state = try self.state(wantsImage: false, followsRedirects: false)
    #expect(leads(to: "/b") == "complete")
    #expect(try self.state().redirected(to: state.url).retries == 0)
  }

  @Test("what isn't the pinned image fails; a stored response is validated first")
  func pinned() throws {
    #expect(conclusion(try state(), 200) == "complete")
    #expect(conclusion(try state(), 404) == "http-status")
    #expect(conclusion(try state(wantsImage: false), 404) == "complete")
    let other = try state(pinned: ContentDigest(hashing: imageBytes(2)))
    #expect(conclusion(other, 200) == "digest-mismatch")
    #expect(conclusion(other, 200, [], .revalidated) == "digest-mismatch")
    #expect(
      conclusion(other, 200, [], .hit) == "transfer" && conclusion(other, 200, [], .stale) == "transfer")
  }
}
