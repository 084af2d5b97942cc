import Crypto
import Curl
import ImageCaches
import Synchronization
import SystemIO

/// Takes a body from the transfer thread and judges it on the way. A long one is hashed as it goes into a
/// file; a short one is held in memory, so that the transfer thread neither hashes it nor waits for a disk.
final class BodySink: TransferSink {
  /// What it is told beforehand.
  struct Configuration: Sendable {
    let source: String
    let url: String
    /// Refuses what can't be an image as soon as that shows; nil takes any answer.
    var validation: ResponseValidation?
    /// The longest body of an answer that isn't a success: enough for an error page.
    var errorBodyLimit = 1 << 20
    /// What an earlier try has received, if its rest was asked for.
    var partial: PartialBody?
    /// Makes the file, once it is needed.
    let makeFile: @Sendable (_ isWorthKeeping: Bool) throws(CacheError) -> PartialFile
    /// Told now and then how many bytes have come.
    let progress: @Sendable (_ received: Int, _ expected: Int?) -> Void
  }

  /// What has come.
  struct Body: Sendable {
    var file: PartialFile?
    /// The bytes of a body that no file was made for.
    var held: [UInt8] = []
    /// Has hashed what is in the file.
    fileprivate var fileHasher = SHA256()
    var byteCount = 0
    var expected: Int?
    /// What vouches for the rest of this body, should the transfer break off.
    var validator: String?
    /// The first bytes.
    var prefix: [UInt8] = []
    /// Why it was stopped.
    var failure: DownloadError?
    /// What is odd about a response that is taken all the same.
    var warning: String?
    /// The head of an error response whose body was too long to be read to its end: nobody wants it.
    var abandonedError: ResponseHead?
    /// The answer didn't fit the range that was asked for.
    var mustRestart = false
    /// The answer was the rest of what an earlier try had received.
    var isResumed = false
    fileprivate var head: ResponseHead?
    fileprivate var isValidated = false
    fileprivate var reported = 0
    fileprivate var reportedAt = ContinuousClock.now

    /// The hash function that has had all that came.
    var hasher: SHA256 {
      var hasher = fileHasher
      held.withUnsafeBytes { hasher.update(bufferPointer: $0) }
      return hasher
    }
  }

  /// Bodies shorter than this, in bytes, are held in memory: they aren't worth the metadata to resume them.
  private static let worthKeeping = 256 * 1024

  private let configuration: Configuration
  private let state: Mutex<Body>

  init(_ configuration: Configuration) {
    self.configuration = configuration
    state = Mutex(Body())
  }

  /// What has come so far, or all of it.
  var body: Body { state.withLock { $0 } }

  func receive(head: ResponseHead) -> Bool {
    state.withLock { body in
      // What came before another answer was the body of a challenge.
      if body.head != nil { body = Body() }
      body.head = head
      body.expected = head.fields.first("Content-Length").flatMap { Int($0) }
      do throws(CacheError) {
        try begin(&body, head)
      } catch {
        body.failure = DownloadError(error, source: configuration.source)
      }
      return body.failure == nil && !body.mustRestart
    }
  }

  private func begin(_ body: inout Body, _ head: ResponseHead) throws(CacheError) {
    if let partial = configuration.partial {
      switch RangeOutcome(
        head, received: partial.received, total: partial.total, validator: partial.validator)
      {
      case .rest:
        body.file = partial.file
        body.fileHasher = partial.hasher
        body.byteCount = partial.received
        body.expected = partial.total ?? body.expected.map { $0 + partial.received }
        body.validator = partial.validator
        body.isValidated = true
        body.isResumed = true
        return
      case .restart
      where head.status == 206 || head.status == 416 || head.fields.first("Content-Range") != nil:
        body.mustRestart = true
        return
      case .whole, .restart: break
      }
    }
    guard head.status == 200 else { return }
    body.validator = StrongValidator.find(in: head.fields, now: Int(SystemTime.now))
    if head.fields.first("Accept-Ranges")?.lowercased() == "none" { body.validator = nil }
    let isLong = body.expected.map { $0 >= Self.worthKeeping } ?? true
    guard isLong || configuration.partial != nil else { return body.held.reserveCapacity(body.expected ?? 0) }
    let file: PartialFile
    if let partial = configuration.partial {
      file = partial.file
      // From here on the file holds another answer's bytes: the old metadata must not vouch for them.
      file.removeMetadata()
      try file.truncate()
    } else {
      file = try configuration.makeFile(body.validator != nil)
    }
    body.file = file
    if let validator = body.validator {
      try file.write(.init(url: configuration.url, validator: validator, total: body.expected))
    }
  }

  func receive(bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { body in
      if body.prefix.count < ResponseValidation.prefixLength {
        body.prefix += bytes.prefix(ResponseValidation.prefixLength - body.prefix.count)
        validate(&body, isWhole: false)
        guard body.failure == nil else { return false }
      }
      do throws(CacheError) {
        try take(bytes, into: &body)
      } catch {
        body.failure = DownloadError(error, source: configuration.source)
        return false
      }
      body.byteCount += bytes.count
      if let head = body.head, !(200..<300).contains(head.status), configuration.validation != nil,
        body.byteCount > configuration.errorBodyLimit
      {
        body.abandonedError = head
        return false
      }
      // Slow bytes are told of too: whoever watches sees that something comes.
      let step = max(1 << 16, (body.expected ?? 0) / 50)
      if body.byteCount - body.reported >= step || ContinuousClock.now - body.reportedAt >= .milliseconds(250)
      {
        body.reported = body.byteCount
        body.reportedAt = .now
        configuration.progress(body.byteCount, body.expected)
      }
      return true
    }
  }

  private func take(_ bytes: UnsafeRawBufferPointer, into body: inout Body) throws(CacheError) {
    if body.file == nil {
      guard body.held.count + bytes.count >= Self.worthKeeping else {
        return body.held.append(contentsOf: bytes)
      }
      // Longer than it seemed.
      let file = try configuration.makeFile(false)
      try file.write(body.held)
      body.fileHasher = body.hasher
      body.held = []
      body.file = file
    }
    try body.file?.file.write(bytes)
    body.fileHasher.update(bufferPointer: bytes)
  }

  /// Judges by the head and the first bytes, as soon as there are enough of them or no more will come.
  private func validate(_ body: inout Body, isWhole: Bool) {
    guard !body.isValidated, let validation = configuration.validation, let head = body.head,
      (200..<300).contains(head.status),
      isWhole ? !body.prefix.isEmpty : body.prefix.count >= 64
    else { return }
    let isFinal = isWhole || body.prefix.count >= ResponseValidation.prefixLength
    switch validation.verdict(on: head, prefix: body.prefix, isFinal: isFinal, source: configuration.source) {
    case .accepted(let warning)?: body.warning = warning
    case .refused(let error)?: body.failure = error
    case nil: return
    }
    body.isValidated = true
  }

  /// All that came, judged to the end.
  func finish() -> Body {
    state.withLock { body in
      validate(&body, isWhole: true)
      return body
    }
  }
}
