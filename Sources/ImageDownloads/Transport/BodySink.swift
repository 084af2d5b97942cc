import Crypto
import Curl
import ImageCaches
import Synchronization
import SystemIO

/// Receives and validates a body on the transfer thread. A long body is hashed while it is written to a file; a short
/// one stays in memory, so that the transfer thread neither hashes it nor waits for a disk.
final class BodySink: TransferSink {
  struct Configuration: Sendable {
    let source: String
    let url: String
    /// Refuses non-images as early as possible; nil accepts any response.
    var validation: ResponseValidation?
    /// The maximum size of an error response's body, in bytes: enough for an error page.
    var errorBodyLimit = 1 << 20
    /// The body of an earlier attempt, if its rest was requested.
    var partial: PartialBody?
    /// Creates the file when it is needed.
    let makeFile: @Sendable (_ isWorthKeeping: Bool) throws(CacheError) -> PartialFile
    /// Receives the number of bytes from time to time.
    let progress: @Sendable (_ received: Int, _ expected: Int?) -> Void
  }

  /// The part of the body received so far.
  struct Body: Sendable {
    var file: PartialFile?
    /// The bytes of a body without a file.
    var held: [UInt8] = []
    /// The hash of the file's bytes.
    fileprivate var fileHasher = SHA256()
    var byteCount = 0
    var expected: Int?
    /// The validator for requesting the rest if the transfer is interrupted.
    var validator: String?
    var prefix: [UInt8] = []
    /// The reason that the body was refused.
    var failure: DownloadError?
    /// A problem of an accepted response.
    var warning: String?
    /// The head of an error response whose body exceeded the limit and was abandoned.
    var abandonedError: ResponseHead?
    /// Whether the response doesn't fit the requested range.
    var mustRestart = false
    /// Whether the response was the rest of an earlier attempt's body.
    var isResumed = false
    fileprivate var head: ResponseHead?
    /// When the head came, in seconds since 1970; nil if none did.
    var headTime: Double?
    fileprivate var isValidated = false
    fileprivate var reported = 0
    fileprivate var reportedAt = ContinuousClock.now

    /// The hash of all bytes.
    var hasher: SHA256 {
      var hasher = fileHasher
      held.withUnsafeBytes { hasher.update(bufferPointer: $0) }
      return hasher
    }
  }

  /// Shorter bodies, in bytes, are held in memory: resuming them isn't worth the metadata.
  private static let worthKeeping = 256 * 1024

  private let configuration: Configuration
  private let state: Mutex<Body>

  init(_ configuration: Configuration) {
    self.configuration = configuration
    state = Mutex(Body())
  }

  var body: Body { state.withLock { $0 } }

  func receive(head: ResponseHead) -> Bool {
    state.withLock { body in
      // The body before a second head belonged to an authentication challenge.
      if body.head != nil { body = Body() }
      body.head = head
      body.headTime = SystemTime.now
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
      // The file will hold another response's bytes: with the old metadata, a later run would resume them.
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
      // Report slow transfers too, so that they don't look stalled.
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
      let file = try configuration.makeFile(false)
      try file.write(body.held)
      body.fileHasher = body.hasher
      body.held = []
      body.file = file
    }
    try body.file?.file.write(bytes)
    body.fileHasher.update(bufferPointer: bytes)
  }

  /// Validates the head and the first bytes, once there are enough bytes or the body has ended.
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

  /// Validates the whole body and returns it.
  func finish() -> Body {
    state.withLock { body in
      validate(&body, isWhole: true)
      return body
    }
  }
}
