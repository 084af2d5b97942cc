import ImageDownloads
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// Counts how often each handler was called, and opens a gate when all were.
private final class Answers: Sendable {
  private struct State {
    var outcomes: [Int: [Result<StoredSource, DownloadError>]] = [:]
    var remaining: Int
  }

  private let state: Mutex<State>
  let all = Gate()

  init(expecting count: Int) {
    state = Mutex(State(remaining: count))
  }

  func handler(_ number: Int) -> @Sendable (Result<StoredSource, DownloadError>) -> Void {
    { outcome in
      let isLast = self.state.withLock { state in
        state.outcomes[number, default: []].append(outcome)
        state.remaining -= 1
        return state.remaining == 0
      }
      if isLast { self.all.open() }
    }
  }

  func outcomes(_ number: Int) -> [Result<StoredSource, DownloadError>] {
    state.withLock { $0.outcomes[number] ?? [] }
  }

  var counts: [Int] { state.withLock { $0.outcomes.values.map(\.count) } }
}

@Suite("Receipts", .timeLimit(.minutes(8)))
struct CancellationTests {
  @Test("a pending download that is cancelled is answered at once and never sent")
  func pending() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in
      gate.wait()
      return page()
    }
    defer { server.stop() }
    var configuration = Fixture.configuration
    configuration.activeDownloads = 1
    let fixture = try Fixture()
    try await fixture.withDownloader(configuration) { downloader in
      let answers = Answers(expecting: 2)
      downloader.download(ImageRequest(.url(server.url("/a.png"))), completion: answers.handler(1))
      while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
      let receipt = downloader.download(
        ImageRequest(.url(server.url("/b.png"))), completion: answers.handler(2))
      while downloader.queuedCount == 0 { try await Task.sleep(for: .milliseconds(2)) }
      downloader.cancel(receipt)
      #expect(answers.outcomes(2).first?.error?.isCancelled == true)
      downloader.cancel(receipt)
      gate.open()
      await answers.all.passed()
      #expect(answers.outcomes(2).count == 1)
      #expect(answers.outcomes(1).first?.error == nil)
    }
    #expect(server.requests.map(\.path) == ["/a.png"])
  }

  @Test(
    "an active download whose only waiter cancels completes for the cache, or is aborted, as configured",
    arguments: [false, true])
  func active(_ aborts: Bool) async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in
      gate.wait()
      return page(1, fields: [("Cache-Control", "max-age=600")])
    }
    defer { server.stop() }
    var configuration = Fixture.configuration
    configuration.abortsOnCancel = aborts
    let fixture = try Fixture()
    try await fixture.withDownloader(configuration) { downloader in
      let answers = Answers(expecting: 1)
      let receipt = downloader.download(
        ImageRequest(.url(server.url("/a.png"))), completion: answers.handler(1))
      while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
      downloader.cancel(receipt)
      await answers.all.passed()
      #expect(answers.outcomes(1).map { $0.error?.isCancelled } == [true])
      while downloader.activeCount > 0, aborts { try await Task.sleep(for: .milliseconds(2)) }
      gate.open()
      while downloader.activeCount > 0 { try await Task.sleep(for: .milliseconds(2)) }
      let again = try await downloader.outcome(server.url("/a.png")).get()
      #expect(again.disposition == (aborts ? .downloaded : .hit) || (again.disposition == .merged && !aborts))
    }
    #expect(server.count(of: "/a.png") == (aborts ? 2 : 1))
  }

  @Test("of two waiters the one that cancels gets the error, the other the image")
  func shared() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in
      gate.wait()
      return page()
    }
    defer { server.stop() }
    let fixture = try Fixture()
    try await fixture.withDownloader { downloader in
      let answers = Answers(expecting: 2)
      let request = ImageRequest(.url(server.url("/a.png")))
      let first = downloader.download(request, completion: answers.handler(1))
      downloader.download(request, completion: answers.handler(2))
      downloader.cancel(first)
      gate.open()
      await answers.all.passed()
      #expect(answers.outcomes(1).map { $0.error?.isCancelled } == [true])
      #expect(answers.outcomes(2).map { $0.error } == [nil])
    }
    #expect(server.requests.count == 1)
  }

  @Test("cancelling by URL and by owner reaches those calls and no others")
  func groups() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in
      gate.wait()
      return page()
    }
    defer { server.stop() }
    let fixture = try Fixture()
    try await fixture.withDownloader { downloader in
      let answers = Answers(expecting: 4)
      func add(_ number: Int, _ name: String, owner: String) {
        let request = ImageRequest(.url(server.url(name)))
        downloader.download(request, owner: owner, completion: answers.handler(number))
      }
      add(1, "/a.png", owner: "x")
      add(2, "/a.png", owner: "y")
      add(3, "/b.png", owner: "x")
      add(4, "/c.png", owner: "y")
      downloader.cancelRequests(for: .url(server.url("/a.png")))
      downloader.cancelRequests(of: "x")
      gate.open()
      await answers.all.passed()
      #expect(
        (1...4).map { answers.outcomes($0).first?.error?.isCancelled ?? false } == [true, true, true, false])
    }
  }

  @Test("cancelling the awaiting task, before or during the download, throws the cancellation")
  func tasks() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in
      gate.wait()
      return page()
    }
    defer { server.stop() }
    let fixture = try Fixture()
    try await fixture.withDownloader { downloader in
      let url = server.url("/a.png")
      let task = Task { await downloader.outcome(url) }
      while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
      task.cancel()
      #expect(await task.value.error?.isCancelled == true)
      let late = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await downloader.outcome(server.url("/b.png"))
      }
      #expect(await late.value.error?.isCancelled == true)
      gate.open()
    }
    #expect(server.count(of: "/b.png") == 0)
  }

  @Test("a shutdown answers everybody, and calls after it too")
  func shutDown() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in
      gate.wait()
      return page()
    }
    defer { server.stop() }
    let fixture = try Fixture()
    let answers = Answers(expecting: 20)
    try await fixture.withDownloader { downloader in
      for number in 0..<20 {
        downloader.download(
          ImageRequest(.url(server.url("/\(number).png"))), completion: answers.handler(number))
      }
      while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
      await downloader.shutDown()
      await answers.all.passed()
      #expect(await downloader.outcome(server.url("/late.png")).error?.isCancelled == true)
      gate.open()
    }
    #expect(answers.counts == Array(repeating: 1, count: 20))
  }

  @Test(
    "a cancellation or a shutdown at any moment stops a transfer, also one that is only about to start",
    arguments: [false, true])
  func everyMoment(shutsDown: Bool) async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in
      gate.wait()
      return page()
    }
    defer {
      gate.open()
      server.stop()
    }
    let seed = SeededRandom.seed
    var generator = SeededRandom(seed: seed)
    var configuration = Fixture.configuration
    configuration.abortsOnCancel = true
    let fixture = try Fixture()
    for round in 0..<50 {
      try await fixture.withDownloader(configuration) { downloader in
        let answers = Answers(expecting: 1)
        let receipt = downloader.download(
          ImageRequest(.url(server.url("/\(round).png"))), completion: answers.handler(1))
        // No server ever responds, so a transfer that is missed would never end.
        let pause = Int.random(in: 0..<2000, using: &generator)
        if pause > 200 { try await Task.sleep(for: .microseconds(pause)) }
        if shutsDown { await downloader.shutDown() } else { downloader.cancel(receipt) }
        await answers.all.passed()
        while downloader.activeCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(answers.counts == [1], "IMAGEMILL_TEST_SEED=\(seed)")
      }
    }
  }

  // Stress tests: a thousand downloads each.

  @Test("a thousand downloads of which the last four are cancelled: each handler is called once")
  func stressCancelLast() async throws {
    try await stress { downloader, receipts in
      for receipt in receipts.suffix(4) { downloader.cancel(receipt) }
      return Set(0..<996)
    }
  }

  @Test(
    "a thousand downloads of which all but the last four are cancelled at random moments: none of the four is lost"
  )
  func stressCancelMost() async throws {
    try await stress { downloader, receipts in
      let seed = SeededRandom.seed
      print("seed \(seed)")
      await withTaskGroup(of: Void.self) { group in
        for part in 0..<4 {
          group.addTask {
            var generator = SeededRandom(seed: seed &+ UInt64(part))
            for receipt in receipts.dropLast(4).enumerated().filter({ $0.offset % 4 == part }).map(\.element)
              .shuffled(using: &generator)
            {
              if Int.random(in: 0..<5, using: &generator) == 0 { await Task.yield() }
              downloader.cancel(receipt)
            }
          }
        }
      }
      return Set(996..<1000)
    }
  }

  @Test("a thousand downloads cancelled all at once from outside: each handler is called once")
  func stressCancelAll() async throws {
    try await stress { downloader, _ in
      downloader.cancelAll()
      return []
    }
  }

  @Test("a thousand downloads held back and let go again and again: all complete")
  func stressHolding() async throws {
    try await stress { downloader, _ in
      for _ in 0..<200 {
        downloader.holdsNewTransfers = true
        await Task.yield()
        downloader.holdsNewTransfers = false
      }
      return Set(0..<1000)
    }
  }

  /// Starts a thousand downloads of 250 URLs, has `act` do its worst, and checks that each handler was called once, and those that
  /// it names got their image.
  private func stress(_ act: (ImageDownloader, [RequestReceipt]) async -> Set<Int>) async throws {
    let server = try LoopbackServer { request in page(request.target.count) }
    defer { server.stop() }
    let fixture = try Fixture()
    var configuration = Fixture.configuration
    configuration.activeDownloadsPerHost = 8
    try await fixture.withDownloader(configuration) { downloader in
      let answers = Answers(expecting: 1000)
      let receipts = (0..<1000).map { number in
        downloader.download(
          ImageRequest(.url(server.url("/\(number % 250).png"))), completion: answers.handler(number))
      }
      let survivors = await act(downloader, receipts)
      await answers.all.passed()
      #expect(answers.counts == Array(repeating: 1, count: 1000))
      for number in survivors { #expect(answers.outcomes(number).first?.error == nil) }
    }
    #expect(server.peakConcurrency <= 8)
  }
}
