import ImageCaches
import Testing

@testable import ImageDownloads

/// One test for each row of the table in `DownloadStateMachine`.
@Suite("The download state machine", .timeLimit(.minutes(8)))
struct DownloadStateMachineTests: DownloadStateMachineSuite {
  // MARK: Requests

  @Test("a request is looked up at once, as far as lookups are free")
  func requested() {
    var driver = MachineDriver(lookups: 1)
    #expect(driver.request("x", key("a")) == ["lookUp 1"])
    #expect(driver.request("y", key("b")) == [])
    #expect(
      driver.send(.lookupFinished(1, .complete(.success(response(.hit))))) == [
        "finished 1", "answer x: hit", "lookUp 2",
      ])
  }

  @Test("a request with an equal key joins, and is answered as merged")
  func merged() throws {
    var driver = MachineDriver()
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
    var driver = MachineDriver()
    let receipt = RequestReceipt(ImageRequest(key("a").source))
    receipt.markCancelled()
    #expect(driver.request("x", key("a"), receipt: receipt) == ["answer x: cancelled"])
    #expect(driver.machine.isEmpty)
  }

  @Test("an equal request of higher priority moves a queued download forward")
  func priority() throws {
    var driver = MachineDriver(total: 1)
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
    var driver = MachineDriver()
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
    var driver = MachineDriver()
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
    var driver = MachineDriver()
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
    var driver = MachineDriver(lookups: 2)
    for path in ["a", "b", "c"] { _ = driver.request(path, key(path)) }
    #expect(driver.send(.lookupFinished(2, .transfer(try state(key("b"))))) == ["lookUp 3"])
    #expect(driver.send(.cancelled(.owner("a"))) == ["answer a: cancelled", "finished 1", "transfer 2"])
    #expect(driver.send(.lookupFinished(1, .transfer(try state(key("a"))))) == [])
    #expect(driver.send(.lookupFinished(1, .complete(failure(.cache)))) == [], "it has ended already")
  }

  // MARK: Transfers

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
    var driver = MachineDriver()
    #expect(driver.send(.held(true)) == [])
    #expect(driver.request("x", key("a")) == ["lookUp 1"])
    #expect(driver.send(.lookupFinished(1, .transfer(try state(key("a"))))) == [])
    #expect(driver.machine.holdsNewTransfers && driver.machine.queuedCount == 1)
    #expect(driver.send(.held(false)) == ["transfer 1"])
    #expect(driver.send(.held(true)) == [])
    #expect(
      driver.send(.resolved(1, .complete(.success(response())))) == ["finished 1", "answer x: downloaded"])
  }
}
