import CCurl
import CCurlLibrary
import Glibc
import WebValues

/// One transfer: its handle, the memory that libcurl keeps pointers to, and the response so far. Not Sendable: it never
/// leaves the engine's thread.
final class Transfer {
  let id: TransferID
  let easy: UnsafeMutableRawPointer
  let options: TransferOptions
  let completion: TransferCompletion
  private let sink: any TransferSink
  /// Holds back the body if the options limit its rate.
  let limiter: ByteRateLimiter?
  var fieldList: UnsafeMutablePointer<curl_slist>?
  private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
  private var parser = ResponseHeadParser()
  private var hasDeliveredHead = false
  private var byteCount = 0
  /// The bytes of the request's body that libcurl has read.
  var sentCount = 0
  var requestCount = 0
  private var stopReason: CurlError.Reason?
  var refusedAddress: IPAddress?
  /// The local address and port of the request's connection, which identify the connection.
  var localEnd: String?
  /// Whether libcurl has logged that it dropped bytes after the body's end.
  private var hasDroppedBytes = false
  /// When the request began or bytes passed last, in seconds of the monotonic clock; nil before the request.
  var lastActivity: Double?
  /// Whether the transfer waits until its rate permits the next bytes.
  private(set) var isHeldBack = false
  /// Whether the transfer was ended because no bytes passed.
  private var hasStalled = false

  init(
    id: TransferID, easy: UnsafeMutableRawPointer, options: TransferOptions, sink: any TransferSink,
    limiter: ByteRateLimiter?, completion: @escaping TransferCompletion
  ) {
    self.id = id
    self.easy = easy
    self.options = options
    self.sink = sink
    self.limiter = limiter
    self.completion = completion
    errorText.pointee = 0
  }

  deinit {
    // The handle is freed first, so libcurl no longer uses these pointers.
    curl_slist_free_all(fieldList)
    errorText.deallocate()
  }

  /// Records why the transfer is being ended; the first reason wins.
  func stop(_ reason: CurlError.Reason) {
    if stopReason == nil { stopReason = reason }
  }

  /// Completes a transfer that isn't in the multi handle with the error that the server has fallen silent.
  func finishStalled() {
    hasStalled = true
    finish(CURLE_OPERATION_TIMEDOUT)
  }

  /// Completes a transfer that isn't in the multi handle with an error.
  func finish(_ code: CURLcode) {
    completion(.failure(error(code)))
  }

  // MARK: Setting up

  /// Sets all options on the handle.
  /// - Returns: The first failure, or `CURLE_OK`.
  func prepare() -> CURLcode {
    var setter = OptionSetter(easy: easy)
    setter.text(CURLOPT_URL, options.url)
    if options.keepsPath { setter.long(CURLOPT_PATH_AS_IS, 1) }
    // Refuse libcurl's other schemes: a `file:` URL would read local files.
    setter.text(CURLOPT_PROTOCOLS_STR, "http,https")
    // Signals for resolver timeouts are unsafe in a process with threads.
    setter.long(CURLOPT_NOSIGNAL, 1)
    // The caller follows redirects, because each hop needs its own checks, credentials and cache lookup.
    setter.long(CURLOPT_FOLLOWLOCATION, 0)
    // Keep a proxy's answer to CONNECT out of the response's head.
    setter.long(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    setter.long(CURLOPT_BUFFERSIZE, bufferSize)
    setter.long(CURLOPT_TCP_KEEPALIVE, 1)
    setter.long(CURLOPT_DNS_CACHE_TIMEOUT, 300)
    // Never read ~/.netrc: the caller decides which credential is sent.
    setter.long(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    setter.pointer(CURLOPT_ERRORBUFFER, errorText)
    prepareRequest(&setter)
    prepareConnection(&setter)
    prepareCallbacks(&setter)
    return setter.code
  }

  /// The bytes that libcurl reads at once. A slow body is read in small pieces, so that its rate stays even.
  private var bufferSize: Int {
    let usual = 64 * 1024
    return options.rateLimit.map { max(1024, min(usual, $0.bytesPerSecond / 8)) } ?? usual
  }

  private func prepareRequest(_ setter: inout OptionSetter) {
    if let body = options.body {
      prepare(body, &setter)
      if options.method == "POST" { setter.text(CURLOPT_CUSTOMREQUEST, options.method) }
    } else if options.method == "HEAD" {
      setter.long(CURLOPT_NOBODY, 1)
    } else if options.method != "GET" {
      setter.text(CURLOPT_CUSTOMREQUEST, options.method)
    }
    for field in options.fields {
      // A line break would inject another field or another request.
      guard !(field.name + field.value).utf8.contains(where: { $0 == 13 || $0 == 10 || $0 == 0 }) else {
        setter.code = CURLE_BAD_FUNCTION_ARGUMENT
        return
      }
      // libcurl sends "Name;" as an empty field; "Name:" would remove the field.
      let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
      guard let list = curl_slist_append(fieldList, line) else {
        setter.code = CURLE_OUT_OF_MEMORY
        return
      }
      fieldList = list
    }
    if let fieldList { setter.pointer(CURLOPT_HTTPHEADER, fieldList) }
    if let userAgent = options.userAgent { setter.text(CURLOPT_USERAGENT, userAgent) }
    if let credential = options.credential {
      setter.text(CURLOPT_USERNAME, credential.user)
      setter.text(CURLOPT_PASSWORD, credential.password)
      // CURLAUTH_BASIC is 1 << 0, CURLAUTH_DIGEST 1 << 1. Swift doesn't import macros with casts.
      setter.long(CURLOPT_HTTPAUTH, credential.scheme == .basic ? 1 : 2)
    }
  }

  private func prepareConnection(_ setter: inout OptionSetter) {
    setter.long(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(options.connectTimeout))
    if let timeout = options.timeout { setter.long(CURLOPT_TIMEOUT_MS, Self.milliseconds(timeout)) }
    if options.byteLimit < Int.max { setter.offset(CURLOPT_MAXFILESIZE_LARGE, options.byteLimit) }
    // Unset, libcurl reads the environment's proxy variables.
    setter.text(CURLOPT_PROXY, options.proxy ?? "")
    setter.text(CURLOPT_NOPROXY, "")
    if let file = options.certificateAuthorities { setter.text(CURLOPT_CAINFO, file) }
    if options.acceptsAnyCertificate {
      setter.long(CURLOPT_SSL_VERIFYPEER, 0)
      setter.long(CURLOPT_SSL_VERIFYHOST, 0)
    }
    setter.long(
      CURLOPT_HTTP_VERSION,
      options.allowsHTTP2 ? Int(CURL_HTTP_VERSION_2TLS) : Int(CURL_HTTP_VERSION_1_1))
    // Wait for a pending connection that may multiplex instead of opening another one for each request.
    setter.long(CURLOPT_PIPEWAIT, options.allowsHTTP2 && options.url.hasPrefix("https:") ? 1 : 0)
    setter.long(CURLOPT_FRESH_CONNECT, options.needsFreshConnection ? 1 : 0)
  }

  private func prepareCallbacks(_ setter: inout OptionSetter) {
    // The loop retains the transfer while the handle is in use, so an unretained pointer suffices.
    let context = Unmanaged.passUnretained(self).toOpaque()
    setter.dataFunction(CURLOPT_HEADERFUNCTION, Self.headerFunction)
    setter.pointer(CURLOPT_HEADERDATA, context)
    setter.dataFunction(CURLOPT_WRITEFUNCTION, Self.writeFunction)
    setter.pointer(CURLOPT_WRITEDATA, context)
    setter.openSocket(Self.openSocketFunction)
    setter.pointer(CURLOPT_OPENSOCKETDATA, context)
    setter.prerequest(Self.prerequestFunction)
    setter.pointer(CURLOPT_PREREQDATA, context)
    // libcurl reports dropped bytes only in its log.
    setter.long(CURLOPT_VERBOSE, 1)
    setter.debug(Self.debugFunction)
    setter.pointer(CURLOPT_DEBUGDATA, context)
  }

  private static func milliseconds(_ seconds: Double) -> Int {
    Int(max(1, min(seconds * 1000, Double(Int32.max))))
  }

  static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }

  // MARK: Callbacks

  private static let headerFunction: ccurl_data_function = { bytes, size, count, context in
    guard let transfer = from(context), let bytes else { return 0 }
    transfer.noteActivity()
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    guard transfer.parser.consume(line) else {
      transfer.stop(.headTooLong)
      return 0
    }
    return line.count
  }

  private static let writeFunction: ccurl_data_function = { bytes, size, count, context in
    guard let transfer = from(context), let bytes else { return 0 }
    if let limiter = transfer.limiter, !limiter.admit(size * count, for: transfer) {
      transfer.isHeldBack = true
      // libcurl keeps these bytes, and passes them again when the transfer is resumed.
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    let isReceived = transfer.receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
    // Afterwards, because the sink may wait for a disk.
    transfer.noteActivity()
    return isReceived ? size * count : 0
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard deliverHead() else { return false }
    guard byteCount + bytes.count <= options.byteLimit else {
      stop(.byteLimitExceeded)
      return false
    }
    byteCount += bytes.count
    guard sink.receive(bytes: bytes) else {
      stop(.stoppedBySink)
      return false
    }
    return true
  }

  /// Continues after a pause for the rate. A failure ends the transfer, which the next perform reports.
  func resume() {
    isHeldBack = false
    noteActivity()
    _ = curl_easy_pause(easy, CURLPAUSE_CONT)
  }

  /// Passes the head to the sink, once, and no earlier than the body's first byte: until then libcurl may still answer
  /// a challenge, and another head follows.
  private func deliverHead() -> Bool {
    guard !hasDeliveredHead, let head = parser.head else { return true }
    hasDeliveredHead = true
    guard sink.receive(head: head) else {
      stop(.stoppedBySink)
      return false
    }
    return true
  }

  private static let debugFunction: curl_debug_callback = { _, kind, bytes, count, context in
    guard kind == CURLINFO_TEXT, let bytes, let transfer = from(context) else { return 0 }
    let text = UnsafeRawBufferPointer(start: bytes, count: count)
    if text.starts(with: dropNotice.utf8) { transfer.hasDroppedBytes = true }
    return 0
  }

  /// The start of libcurl's log line about bytes after the body's end ("Excess found in a read" in lib/transfer.c of
  /// 7.88; later versions change the rest of the line).
  private static let dropNotice = "Excess found"

  // MARK: Completing

  /// The transfer's result. Reads the handle, so it must be called before the handle is freed.
  /// - Parameter sharesConnection: Whether another transfer has started on the same connection.
  func outcome(_ code: CURLcode, sharesConnection: Bool) -> Result<TransferResult, CurlError> {
    guard code == CURLE_OK else { return .failure(error(code)) }
    guard let head = parser.head else { return .failure(error(CURLE_GOT_NOTHING)) }
    guard deliverHead() else { return .failure(error(CURLE_WRITE_ERROR)) }
    if hasExcess(head, sharesConnection: sharesConnection) {
      stop(.longerThanAnnounced)
      return .failure(error(code))
    }
    return .success(
      TransferResult(
        head: head, byteCount: byteCount, redirectURL: text(CURLINFO_REDIRECT_URL),
        address: text(CURLINFO_PRIMARY_IP).flatMap { IPAddress($0) }, requests: requestCount,
        connections: long(CURLINFO_NUM_CONNECTS)
      ))
  }

  /// Whether the server sent more bytes than it announced.
  ///
  /// libcurl drops excess bytes that it reads with the head, and only logs it. Later it leaves them unread on the
  /// connection. Unread bytes may also be the next response: libcurl may start a transfer on the connection before it
  /// reports the end of this one. Under TLS they may be TLS records. HTTP/2 checks the length (RFC 9113 §8.1.1).
  private func hasExcess(_ head: ResponseHead, sharesConnection: Bool) -> Bool {
    guard head.version.hasPrefix("1") else { return false }
    if hasDroppedBytes { return true }
    var socket: curl_socket_t = -1
    guard !sharesConnection, options.url.hasPrefix("http:"), byteCount > 0,
      ccurl_get_socket(easy, &socket) == CURLE_OK,
      socket >= 0
    else { return false }
    var byte: UInt8 = 0
    guard recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0 else { return false }
    // A later transfer on this connection would read the excess as the start of its response.
    shutdown(socket, Int32(SHUT_RDWR))
    return true
  }

  private func error(_ code: CURLcode) -> CurlError {
    let reason: CurlError.Reason =
      if let stopReason {
        stopReason
      } else if code == CURLE_FILESIZE_EXCEEDED {
        .byteLimitExceeded
      } else if let refusedAddress, code == CURLE_COULDNT_CONNECT || code == CURLE_ABORTED_BY_CALLBACK {
        .addressRefused(refusedAddress)
      } else {
        .transport
      }
    return CurlError(
      reason: reason, curlCode: reason == .transport ? Int(code.rawValue) : 0, message: message(reason, code),
      status: parser.head?.status, url: options.url, bytesReceived: byteCount, requests: requestCount)
  }

  private func message(_ reason: CurlError.Reason, _ code: CURLcode) -> String {
    guard reason == .transport else {
      return reason.text(byteLimit: options.byteLimit, announced: byteCount)
    }
    if hasStalled { return stallText }
    let detail = String(cString: errorText)
    return detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
  }

  private func long(_ info: CURLINFO) -> Int {
    var value = 0
    return ccurl_get_long(easy, info, &value) == CURLE_OK ? value : 0
  }

  private func text(_ info: CURLINFO) -> String? {
    var value: UnsafePointer<CChar>?
    guard ccurl_get_text(easy, info, &value) == CURLE_OK, let value else { return nil }
    return String(cString: value)
  }
}
