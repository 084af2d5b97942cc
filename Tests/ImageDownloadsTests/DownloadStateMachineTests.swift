import Glibc
import ImageCaches
import Synchronization
import Testing

@testable import ImageDownloads

/// A machine whose actions are told as text, and whose answers are given as a driver gives them.
private struct Driver {
  /// What the completions were told, as `name: disposition or code`.
  final class Log: Sendable {
    let lines = Mutex<[String]>([])
  }

  var machine: DownloadStateMachine
  let log = Log()

  init(abortsOnCancel: Bool = false, lookups: Int = 8, total: Int = 32, unreachableTimeout: Double = 30) {
    var limits = DownloadQueue<Int>.Limits()
    limits.total = total
    limits.unreachableTimeout = unreachableTimeout
    machine = DownloadStateMachine(limits: limits, lookupLimit: lookups, abortsOnCancel: abortsOnCancel)
  }

  /// - Returns: the event's actions, one word and a number each.
  mutating func send(_ event: DownloadStateMachine.Event, at now: Double = 0) -> [String] {
    machine.handle(event, now: now).map { action in
      switch action {
      case .lookUp(let id, _): return "lookUp \(id)"
      case .transfer(let id, _): return "transfer \(id)"
      case .refuse(let id, _): return "refuse \(id)"
      case .cancelTransfer(let id): return "cancelTransfer \(id)"
      case .finished(let id): return "finished \(id)"
      case .answer(let completion, let outcome):
        completion(outcome)
        return "answer \(log.lines.withLock { $0.last } ?? "nobody")"
      case .report(.retrying): return "report retrying"
      case .report(.hostPaused): return "report hostPaused"
      case .report: return "report"
      case .wake(let time): return "wake \(time)"
      }
    }
  }

  mutating func request(
    _ name: String, _ key: RequestKey, priority: Int = 0, receipt: RequestReceipt? = nil, at now: Double = 0
  ) -> [String] {
    let receipt = receipt ?? RequestReceipt(ImageRequest(key.source), owner: name)
    let waiter = InFlightDownload.Waiter(receipt: receipt) { [log] outcome in
      let text =
        switch outcome {
        case .success(let response): response.disposition.rawValue
        case .failure(let error): error.code.rawValue
        }
      log.lines.withLock { $0.append("\(name): \(text)") }
    }
    return send(.requested(key, priority: priority, waiter), at: now)
  }
}

private func key(_ path: String, host: String = "a.example") -> RequestKey {
  RequestKey(source: .url("http://\(host)/\(path)"), headers: [], cacheMode: .standard)
}

private func state(_ key: RequestKey) throws -> RequestState {
  RequestState(key, originalURL: try #require(key.url))
}

private func response(_ disposition: StoredSource.Disposition = .downloaded) -> Response {
  let fingerprint = FileFingerprint(path: "/a", status: stat())
  var response = Response(
    file: "/a", digest: ContentDigest(hashing: [1]), fingerprint: fingerprint, isFingerprintCertain: true)
  response.disposition = disposition
  return response
}

private func failure(_ code: DownloadError.Code) -> DownloadStateMachine.Outcome {
  .failure(DownloadError(code, "it failed", source: "a"))
}

private func retry(_ key: RequestKey, after seconds: Double, hostPause: Double? = nil) throws -> NextStep {
  let error = DownloadError(.timedOut, "too slow", source: "a")
  return .retry(.init(state: try state(key), seconds: seconds, error: error, hostPause: hostPause))
}

/// One test for each row of the table in `DownloadStateMachine`.
@Suite("The download state machine", .timeLimit(.minutes(2)))
struct DownloadStateMachineTests {
  // MARK: Requests

  @Test("a request is looked up at once, as far as lookups are free")
  func requested() {
    var driver = Driver(lookups: 1)
    #expect(driver.request("x", key("a")) == ["lookUp 1"])
    #expect(driver.request("y", key("b")) == [])
    #expect(
      driver.send(.lookupFinished(1, .complete(.success(response(.hit))))) == [
        "finished 1", "answer x: hit", "lookUp 2",
      ])
  }

  @Test("a request with an equal key joins, and is answered as merged")
  func merged() throws {
    var driver = Driver()
    #expect(driver.request("x", key("a")) == ["lookUp 1"])
    #expect(driver.request("y", key("a")) == [])
    #expect(driver.machine.mergedCount == 1)
    #expect(driver.send(.lookupFinished(1, .transfer(try state(key("a"))))) == ["transfer 1"])
    #expect(driver.send(.transferFinished(1, .answered)) == [])
    #expect(
      driver.send(.resolved(1, .complete(.success(response())))) == [
        "finished 1", "answer x: downloaded", "answer y: merged",
      ])
    #expect(driver.machine.isEmpty)
  }

  @Test("a request whose receipt was cancelled before is answered, and not begun")
  func cancelledBefore() {
    var driver = Driver()
    let receipt = RequestReceipt(ImageRequest(key("a").source))
    receipt.markCancelled()
    #expect(driver.request("x", key("a"), receipt: receipt) == ["answer x: cancelled"])
    #expect(driver.machine.isEmpty)
  }

  @Test("an equal request of higher priority moves a queued download forward")
  func priority() throws {
    var driver = Driver(total: 1)
    for (id, path) in ["a", "b", "c"].enumerated() {
      _ = driver.request(path, key(path))
      _ = driver.send(.lookupFinished(id + 1, .transfer(try state(key(path)))))
    }
    #expect(driver.request("urgent", key("c"), priority: 1) == [])
    #expect(driver.send(.transferFinished(1, .answered)) == ["transfer 3"])
    #expect(driver.send(.transferFinished(3, .answered)) == ["transfer 2"])
  }

  // MARK: Lookups

  @Test("a stale response that may be used answers, and a validation follows with nobody waiting")
  func validation() throws {
    var driver = Driver()
    _ = driver.request("x", key("a"))
    let step = NextStep.completeAndValidate(response(.stale), key("a").refreshing)
    #expect(driver.send(.lookupFinished(1, step)) == ["finished 1", "answer x: stale", "lookUp 2"])
    #expect(driver.send(.lookupFinished(2, .transfer(try state(key("a"))))) == ["transfer 2"])
    #expect(
      driver.send(.resolved(2, .complete(.success(response(.revalidated))))) == [
        "finished 2", "answer x: stale",
      ])
    #expect(driver.log.lines.withLock { $0 } == ["x: stale"])
    #expect(driver.machine.isEmpty)
  }

  @Test("slots are requested in the order of the requests, however long each lookup takes")
  func lookupOrder() throws {
    var driver = Driver()
    for path in ["a", "b", "c"] { _ = driver.request(path, key(path)) }
    #expect(driver.send(.lookupFinished(3, .transfer(try state(key("c"))))) == [])
    #expect(driver.send(.lookupFinished(2, .transfer(try state(key("b"))))) == [])
    #expect(driver.machine.queuedCount == 0)
    #expect(
      driver.send(.lookupFinished(1, .transfer(try state(key("a"))))) == [
        "transfer 1", "transfer 2", "transfer 3",
      ])
  }

  @Test("a local source that is read for long keeps no URL from its slot")
  func localSource() throws {
    var driver = Driver()
    let input = RequestKey(source: .standardInput, headers: [], cacheMode: .standard)
    #expect(driver.request("input", input) == ["lookUp 1"])
    _ = driver.request("x", key("a"))
    #expect(driver.send(.lookupFinished(2, .transfer(try state(key("a"))))) == ["transfer 2"])
    #expect(
      driver.send(.lookupFinished(1, .complete(failure(.unreadable)))) == [
        "finished 1", "answer input: file-unreadable",
      ])
  }

  @Test("the lookup of a cancelled download gives its place to the next, and holds up nobody")
  func lookupOfCancelled() throws {
    var driver = Driver(lookups: 2)
    for path in ["a", "b", "c"] { _ = driver.request(path, key(path)) }
    #expect(driver.send(.lookupFinished(2, .transfer(try state(key("b"))))) == ["lookUp 3"])
    #expect(driver.send(.cancelled(.owner("a"))) == ["answer a: cancelled", "finished 1", "transfer 2"])
    #expect(driver.send(.lookupFinished(1, .transfer(try state(key("a"))))) == [])
    #expect(driver.send(.lookupFinished(1, .complete(failure(.cache)))) == [], "it has ended already")
  }

  // MARK: Transfers

  /// A download that has its slot; its number is 1.
  private func transferring(
    abortsOnCancel: Bool = false, total: Int = 32, unreachableTimeout: Double = 30
  ) throws -> Driver {
    var driver = Driver(abortsOnCancel: abortsOnCancel, total: total, unreachableTimeout: unreachableTimeout)
    _ = driver.request("x", key("a"))
    #expect(driver.send(.lookupFinished(1, .transfer(try state(key("a"))))) == ["transfer 1"])
    return driver
  }

  @Test("the slot is free when the transfer has finished, though its response is not yet stored")
  func slotIsFreed() throws {
    var driver = try transferring(total: 1)
    _ = driver.request("y", key("b"))
    #expect(driver.send(.lookupFinished(2, .transfer(try state(key("b"))))) == [])
    #expect(driver.send(.transferFinished(1, .answered)) == ["transfer 2"])
    #expect(driver.send(.transferFinished(1, .answered)) == [], "it has no slot to give back")
    #expect(driver.machine.activeCount == 2)
  }

  @Test("the next hop of a redirect waits for a slot again")
  func redirect() throws {
    var driver = try transferring(total: 1)
    _ = driver.request("y", key("b"))
    _ = driver.send(.lookupFinished(2, .transfer(try state(key("b")))))
    #expect(driver.send(.resolved(1, .transfer(try state(key("c"))))) == ["transfer 2"])
    #expect(
      driver.send(.resolved(2, .complete(failure(.httpStatus)))) == [
        "finished 2", "answer y: http-status", "transfer 1",
      ])
  }

  @Test("a retry waits for its time, then for a slot")
  func retries() throws {
    var driver = try transferring()
    #expect(
      driver.send(.resolved(1, try retry(key("a"), after: 5)), at: 1) == ["report retrying", "wake 6.0"])
    #expect(driver.send(.timeReached(3), at: 3) == [])
    #expect(driver.send(.timeReached(6), at: 5.999) == ["transfer 1"], "a timer that fires early is on time")
  }

  @Test("a host that asks for a pause gets it, for its other downloads too")
  func hostPause() throws {
    var driver = try transferring()
    let step = try retry(key("a"), after: 5, hostPause: 20)
    #expect(driver.send(.resolved(1, step)) == ["report retrying", "report hostPaused", "wake 5.0"])
    _ = driver.request("y", key("b"))
    #expect(driver.send(.lookupFinished(2, .transfer(try state(key("b"))))) == [])
    #expect(driver.send(.timeReached(5), at: 5) == ["wake 20.0"])
    #expect(driver.send(.timeReached(20), at: 20) == ["transfer 2", "transfer 1"])
  }

  @Test("what waits for a host that is down is refused, and the host's silence is reported")
  func hostDown() throws {
    var driver = try transferring(unreachableTimeout: 0)
    for number in 1..<CircuitBreaker.tolerance {
      #expect(driver.send(.transferFinished(1, .silent)) == [], "attempt \(number)")
      #expect(driver.send(.resolved(1, .transfer(try state(key("a"))))) == ["transfer 1"])
    }
    #expect(driver.send(.transferFinished(1, .silent)) == ["report hostPaused"])
    #expect(driver.send(.resolved(1, .transfer(try state(key("a"))))) == ["refuse 1"])
    #expect(
      driver.send(.resolved(1, .complete(failure(.hostDown)))) == ["finished 1", "answer x: host-down"])
  }

  @Test("held transfers wait; lookups and what has begun go on")
  func held() throws {
    var driver = Driver()
    #expect(driver.send(.held(true)) == [])
    #expect(driver.request("x", key("a")) == ["lookUp 1"])
    #expect(driver.send(.lookupFinished(1, .transfer(try state(key("a"))))) == [])
    #expect(driver.machine.holdsNewTransfers && driver.machine.queuedCount == 1)
    #expect(driver.send(.held(false)) == ["transfer 1"])
    #expect(driver.send(.held(true)) == [])
    #expect(
      driver.send(.resolved(1, .complete(.success(response())))) == ["finished 1", "answer x: downloaded"])
  }

  // MARK: Cancelling

  @Test(
    "a transfer that nobody waits for completes for the cache, or is aborted even before it has begun",
    arguments: [false, true])
  func cancelTransfer(aborts: Bool) throws {
    var driver = try transferring(abortsOnCancel: aborts)
    let actions = ["answer x: cancelled"] + (aborts ? ["cancelTransfer 1"] : [])
    #expect(driver.send(.cancelled(.source(key("a").source))) == actions)
    // What is aborted can't be joined.
    #expect(driver.request("y", key("a")) == (aborts ? ["lookUp 2"] : []))
    #expect(
      driver.send(.resolved(1, .complete(.success(response()))))
        == (aborts ? ["finished 1"] : ["finished 1", "answer y: merged"]))
  }

  @Test("of two waiters, the one that cancels is answered, and the transfer goes on for the other")
  func cancelOne() throws {
    var driver = try transferring(abortsOnCancel: true)
    let receipt = RequestReceipt(ImageRequest(key("a").source))
    _ = driver.request("y", key("a"), receipt: receipt)
    #expect(driver.send(.cancelled(.receipt(receipt))) == ["answer y: cancelled"])
    #expect(driver.send(.cancelled(.receipt(receipt))) == [])
    #expect(
      driver.send(.resolved(1, .complete(.success(response())))) == ["finished 1", "answer x: downloaded"])
  }

  @Test("what completes for the cache alone is neither sent again nor tried again", arguments: [false, true])
  func abandoned(retries: Bool) throws {
    var driver = try transferring()
    #expect(driver.send(.cancelled(.all)) == ["answer x: cancelled"])
    let step = retries ? try retry(key("a"), after: 1) : .transfer(try state(key("b")))
    #expect(driver.send(.resolved(1, step)) == ["finished 1"])
    #expect(driver.machine.isEmpty)
  }

  @Test("a download that is pending, looked up, queued or waiting to retry is dropped with its last waiter")
  func cancelBeforeTransfer() throws {
    var driver = Driver(lookups: 2, total: 1)
    for path in ["first", "second", "third"] { _ = driver.request(path, key(path)) }
    #expect(driver.send(.cancelled(.owner("third"))) == ["answer third: cancelled", "finished 3"])
    #expect(driver.send(.lookupFinished(2, .transfer(try state(key("second"))))) == [])
    #expect(driver.send(.cancelled(.owner("second"))) == ["answer second: cancelled", "finished 2"])
    #expect(driver.send(.lookupFinished(1, .transfer(try state(key("first"))))) == ["transfer 1"])
    _ = driver.request("queued", key("queued"))
    #expect(driver.send(.lookupFinished(4, .transfer(try state(key("queued"))))) == [])
    #expect(driver.send(.cancelled(.owner("queued"))) == ["answer queued: cancelled", "finished 4"])
    #expect(driver.send(.resolved(1, try retry(key("first"), after: 1))) == ["report retrying", "wake 1.0"])
    #expect(driver.send(.cancelled(.owner("first"))) == ["answer first: cancelled", "finished 1"])
    #expect(driver.machine.isEmpty)
  }

  @Test("cancelling what has not started leaves transfers and retries alone")
  func cancelNotStarted() throws {
    var driver = try transferring()
    _ = driver.send(.resolved(1, try retry(key("a"), after: 1)))
    _ = driver.request("y", key("b"))
    #expect(driver.send(.cancelled(.notStarted)) == ["answer y: cancelled", "finished 2"])
    #expect(driver.send(.timeReached(1), at: 1) == ["transfer 1"])
  }

  @Test("a shutdown answers everybody, cancels every transfer and starts nothing again")
  func shutDown() throws {
    var driver = try transferring()
    _ = driver.request("y", key("b"))
    #expect(
      driver.send(.shutDown) == [
        "answer x: cancelled", "cancelTransfer 1", "answer y: cancelled", "finished 2",
      ])
    #expect(driver.send(.shutDown) == [])
    #expect(driver.request("z", key("c")) == ["answer z: cancelled"])
    #expect(driver.send(.lookupFinished(2, .transfer(try state(key("b"))))) == [])
    #expect(driver.send(.transferFinished(1, nil)) == [])
    #expect(driver.send(.resolved(1, try retry(key("a"), after: 1))) == ["finished 1"])
    #expect(driver.machine.isEmpty)
  }

  @Test("a shutdown cancels transfers that nobody waits for too")
  func shutDownAbandoned() throws {
    var driver = try transferring()
    #expect(driver.send(.cancelled(.all)) == ["answer x: cancelled"])
    #expect(driver.send(.shutDown) == ["cancelTransfer 1"])
    #expect(driver.send(.resolved(1, .complete(failure(.cancelled)))) == ["finished 1"])
    #expect(driver.machine.isEmpty)
  }

  @Test("events of downloads that don't exist change nothing")
  func unknown() throws {
    var driver = Driver()
    #expect(driver.send(.lookupFinished(9, .transfer(try state(key("a"))))) == [])
    #expect(driver.send(.transferFinished(9, .silent)) == [])
    #expect(driver.send(.resolved(9, .complete(.success(response())))) == [])
    #expect(driver.send(.cancelled(.receipt(RequestReceipt(ImageRequest(key("a").source))))) == [])
    #expect(driver.machine.isEmpty)
  }
}
