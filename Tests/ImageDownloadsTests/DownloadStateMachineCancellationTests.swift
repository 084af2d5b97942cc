import Testing

@testable import ImageDownloads

/// The rows of the table in `DownloadStateMachine` that end downloads early.
@Suite("The download state machine, cancelled and shut down", .timeLimit(.minutes(8)))
struct DownloadStateMachineCancellationTests: DownloadStateMachineSuite {
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
    var driver = MachineDriver(lookups: 2, total: 1)
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
    var driver = MachineDriver()
    #expect(driver.send(.lookupFinished(9, .transfer(try state(key("a"))))) == [])
    #expect(driver.send(.transferFinished(9, .silent)) == [])
    #expect(driver.send(.resolved(9, .complete(.success(response())))) == [])
    #expect(driver.send(.cancelled(.receipt(RequestReceipt(ImageRequest(key("a").source))))) == [])
    #expect(driver.machine.isEmpty)
  }
}
