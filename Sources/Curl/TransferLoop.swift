import CCurl
import CCurlLibrary
import SystemIO

/// The engine's thread: receives messages, drives libcurl and completes transfers.
struct TransferLoop {
  private let mailbox: TransferMailbox
  private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
  private var handles: [TransferID: UnsafeMutableRawPointer] = [:]
  private var limiters: [String: ByteRateLimiter] = [:]
  private var stopCompletions: [@Sendable () -> Void] = []
  /// When to look for stalled transfers again, in seconds of the monotonic clock.
  private var nextStallCheck = 0.0

  /// The maximum sleep, in milliseconds; messages and sockets wake the thread earlier.
  private static let longestSleep: Int32 = 1000
  /// The number of limiters from which those that aren't in use are dropped.
  private static let manyLimiters = 1024

  init(mailbox: TransferMailbox) {
    self.mailbox = mailbox
  }

  consuming func run() {
    guard let multi = mailbox.multi?.pointer else { return }
    ccurl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, mailbox.connectionLimit)
    while stopCompletions.isEmpty {
      for message in mailbox.take() { handle(message, on: multi) }
      guard stopCompletions.isEmpty else { break }
      var running: Int32 = 0
      if !transfers.isEmpty {
        curl_multi_perform(multi, &running)
        finishEnded(on: multi)
        // After the transfers have received what had arrived: this thread may have been held up.
        endStalled(on: multi)
      }
      curl_multi_poll(multi, nil, 0, min(resumePaused(), timeToStallCheck), nil)
    }
    end(multi)
  }

  /// Resumes the transfers that their rate permits.
  /// - Returns: The time to sleep at most, in milliseconds.
  private func resumePaused() -> Int32 {
    guard !limiters.isEmpty else { return Self.longestSleep }
    let waits = limiters.values.compactMap { $0.resume() }
    return waits.min().map { Int32(min(Double(Self.longestSleep), ($0 * 1000).rounded(.up))) }
      ?? Self.longestSleep
  }

  /// The time until stalled transfers are looked for, in milliseconds.
  private var timeToStallCheck: Int32 {
    guard !transfers.isEmpty else { return Self.longestSleep }
    let seconds = max(0.02, nextStallCheck - SystemTime.monotonic)
    return Int32(min(Double(Self.longestSleep), (seconds * 1000).rounded(.up)))
  }

  /// Ends the transfers whose server has fallen silent.
  private mutating func endStalled(on multi: UnsafeMutableRawPointer) {
    let now = SystemTime.monotonic
    guard now >= nextStallCheck else { return }
    nextStallCheck = now + Double(Self.longestSleep) / 1000
    var stalled: [Transfer] = []
    for transfer in transfers.values {
      guard let deadline = transfer.stallDeadline else { continue }
      if deadline <= now { stalled.append(transfer) } else { nextStallCheck = min(nextStallCheck, deadline) }
    }
    for transfer in stalled {
      retire(transfer.easy, on: multi)
      transfer.finishStalled()
    }
  }

  private mutating func limiter(for limit: TransferOptions.RateLimit?) -> ByteRateLimiter? {
    guard let limit else { return nil }
    if let limiter = limiters[limit.key] { return limiter }
    if limiters.count >= Self.manyLimiters {
      let used = Set(transfers.values.compactMap(\.options.rateLimit?.key))
      limiters = limiters.filter { used.contains($0.key) }
    }
    let limiter = ByteRateLimiter(rate: limit.bytesPerSecond)
    limiters[limit.key] = limiter
    return limiter
  }

  private mutating func handle(_ message: TransferMessage, on multi: UnsafeMutableRawPointer) {
    switch message {
    case .start(let id, let options, let sink, let completion):
      guard !id.isCancelled else {
        completion(.failure(.cancelled(options.url)))
        return
      }
      guard let easy = curl_easy_init() else {
        completion(
          .failure(CurlError(engineFailure: "libcurl can't create a handle; memory may be exhausted")))
        return
      }
      let transfer = Transfer(
        id: id, easy: easy, options: options, sink: sink, limiter: limiter(for: options.rateLimit),
        completion: completion)
      let code = transfer.prepare()
      let status = code == CURLE_OK ? curl_multi_add_handle(multi, easy) : CURLM_INTERNAL_ERROR
      guard status == CURLM_OK else {
        transfer.finish(code == CURLE_OK ? CURLE_FAILED_INIT : code)
        curl_easy_cleanup(easy)
        return
      }
      transfers[easy] = transfer
      handles[id] = easy
    case .cancel(let id):
      guard let easy = handles[id], let transfer = transfers[easy] else { return }
      transfer.stop(.cancelled)
      retire(easy, on: multi)
      transfer.finish(CURLE_ABORTED_BY_CALLBACK)
    case .stop(let completion):
      stopCompletions.append(completion)
    }
  }

  private mutating func finishEnded(on multi: UnsafeMutableRawPointer) {
    var remaining: Int32 = 0
    var ended: [(UnsafeMutableRawPointer, CURLcode)] = []
    while let message = curl_multi_info_read(multi, &remaining) {
      if message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle {
        ended.append((easy, message.pointee.data.result))
      }
    }
    for (easy, code) in ended {
      guard let transfer = transfers[easy] else { continue }
      // Transfers on one connection end in order: any other transfer left on it started later.
      let sharesConnection = transfers.values.contains { other in
        other !== transfer && other.localEnd != nil && other.localEnd == transfer.localEnd
      }
      let outcome = transfer.outcome(code, sharesConnection: sharesConnection)
      retire(easy, on: multi)
      transfer.completion(outcome)
    }
  }

  /// Removes a handle from the multi handle and frees it. The multi handle keeps the connection for reuse.
  ///
  /// Handles aren't reused. `curl_easy_reset` is a little cheaper, but libcurl 7.88 keeps a pointer to the last header
  /// field across it, and writes through that pointer if the next response begins with a folded line.
  private mutating func retire(_ easy: UnsafeMutableRawPointer, on multi: UnsafeMutableRawPointer) {
    curl_multi_remove_handle(multi, easy)
    if let transfer = transfers.removeValue(forKey: easy) {
      handles[transfer.id] = nil
      transfer.limiter?.remove(transfer)
    }
    curl_easy_cleanup(easy)
  }

  private mutating func end(_ multi: UnsafeMutableRawPointer) {
    let unfinished = Array(transfers.values)
    for transfer in unfinished {
      transfer.stop(.shutDown)
      retire(transfer.easy, on: multi)
    }
    let late = mailbox.abandon()
    for transfer in unfinished { transfer.finish(CURLE_ABORTED_BY_CALLBACK) }
    for message in late {
      switch message {
      case .start(_, let options, _, let completion): completion(.failure(.shutDown(options.url)))
      case .cancel: break
      case .stop(let completion): completion()
      }
    }
    for completion in stopCompletions { completion() }
  }
}
