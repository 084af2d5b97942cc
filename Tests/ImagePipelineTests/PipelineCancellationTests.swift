import Foundation
import ImageDownloads
import ImageFilters
import ImagePipeline
import ImageRendering
import LoopbackServer
import Synchronization
import TestSupport
import Testing
import Vips

/// The outcomes of calls by completion.
private final class Answers: Sendable {
  private let answers = Shared<[Int: [Result<Size, ImageError>]]>([:])

  func handler(_ number: Int) -> @Sendable (Result<VipsImage, ImageError>) -> Void {
    { outcome in self.answers.change { $0[number, default: []].append(outcome.map(\.size)) } }
  }

  func of(_ number: Int) -> [Result<Size, ImageError>] { answers.value[number] ?? [] }

  func wait(for count: Int) async throws {
    while answers.value.count < count { try await Task.sleep(for: .milliseconds(2)) }
  }
}

private let whole = Result<Size, ImageError>.success(Size(width: 30, height: 20))
private let cancelled = Result<Size, ImageError>.failure(.requestCancelled)

@Suite("Cancelling in the image pipeline", .timeLimit(.minutes(8)))
struct PipelineCancellationTests {
  @Test("a download that hasn't started is dropped, and never sent")
  func pending() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in imagePage(gate: gate) }
    defer { server.stop() }
    try await withPipeline(active: 1) { pipeline, _ in
      let answers = Answers()
      pipeline.load(ImageRequest(server.address("/a.png")), completion: answers.handler(1))
      while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
      let receipt = try #require(
        pipeline.load(ImageRequest(server.address("/b.png")), completion: answers.handler(2)))
      pipeline.cancel(receipt)
      #expect(answers.of(2) == [cancelled])
      pipeline.cancel(receipt)
      gate.open()
      try await answers.wait(for: 2)
      #expect(answers.of(1) == [whole] && answers.of(2) == [cancelled])
    }
    #expect(server.requests.map(\.path) == ["/a.png"])
  }

  @Test("a download that has started completes for the disk cache: the next call sends nothing")
  func active() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in imagePage(gate: gate) }
    defer { server.stop() }
    try await withPipeline { pipeline, images in
      let url = server.address("/a.png")
      let call = Task { try await pipeline.image(for: url) }
      while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
      call.cancel()
      await #expect(throws: ImageError.requestCancelled) { try await call.value }
      gate.open()
      while pipeline.totals.downloads.downloads < 1 { try await Task.sleep(for: .milliseconds(2)) }
      #expect(images.count == 0)
      #expect(try await pipeline.image(for: url).size == Size(width: 30, height: 20))
      #expect(server.requests.count == 1 && pipeline.totals.renderings == 1)
    }
  }

  @Test("of several callers only the one that cancels is answered; the others get their image")
  func shared() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in imagePage(gate: gate) }
    defer { server.stop() }
    try await withPipeline { pipeline, _ in
      let answers = Answers()
      let receipts = (0..<3).map { number in
        pipeline.load(ImageRequest(server.address("/a.png")), completion: answers.handler(number))
      }
      pipeline.cancel(try #require(receipts[0]))
      #expect(answers.of(0) == [cancelled] && answers.of(1).isEmpty)
      gate.open()
      try await answers.wait(for: 3)
      pipeline.cancel(try #require(receipts[1]))
      #expect(answers.of(1) == [whole] && answers.of(2) == [whole] && server.requests.count == 1)
    }
  }

  @Test("a rendering that has started completes for the memory cache")
  func rendering() async throws {
    let server = try LoopbackServer { _ in imagePage() }
    defer { server.stop() }
    let (gate, runs) = (Gate(), Shared<[String: Int]>([:]))
    try await withPipeline { pipeline, images in
      let url = server.address("/a.png")
      let filter = Counting(name: "slow", runs: runs, gate: gate)
      let call = Task { try await pipeline.image(for: url, filters: filter) }
      while gate.arrivals == 0 { try await Task.sleep(for: .milliseconds(2)) }
      call.cancel()
      await #expect(throws: ImageError.requestCancelled) { try await call.value }
      // A call that comes now joins the rendering.
      let next = Task { try await pipeline.image(for: url, filters: filter) }
      while pipeline.totals.joined == 0 { try await Task.sleep(for: .milliseconds(2)) }
      gate.open()
      let image = try await next.value
      #expect(images.count == 1 && runs.value == ["slow": 1])
      #expect(pipeline.image(at: url, withIdentifier: "slow") === image)
    }
  }

  @Test("a task that is cancelled before it calls sends nothing; leaving a stream of updates cancels")
  func early() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in imagePage(gate: gate) }
    defer { server.stop() }
    try await withPipeline { pipeline, _ in
      let url = server.address("/a.png")
      let call = Task {
        await gate.passed()
        return try await pipeline.image(for: url)
      }
      call.cancel()
      let watcher = Task { for try await _ in pipeline.updates(for: server.address("/b.png")) {} }
      while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
      watcher.cancel()
      while pipeline.totals.cancelled < 1 { try await Task.sleep(for: .milliseconds(2)) }
      gate.open()
      await #expect(throws: ImageError.requestCancelled) { try await call.value }
      pipeline.load(ImageRequest(server.address("/c.png"))) { _ in }
      pipeline.cancelAll()
      #expect(server.count(of: "/a.png") == 0)
    }
  }

  @Test(
    "10,000 calls from 64 tasks with random cancels: one download, rendering and encoding for each pair, one answer each"
  )
  func many() async throws {
    let seed = SeededRandom.seed
    print("IMAGEMILL_TEST_SEED=\(seed)")
    let server = try LoopbackServer { request in imagePage(request.path.utf8.count) }
    defer { server.stop() }
    let runs = Shared<[String: Int]>([:])
    let (sources, filters) = (40, 5)
    try await withPipeline { pipeline, images in
      let answers = Shared(0)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<64 {
          group.addTask {
            var random = SeededRandom(seed: seed &+ UInt64(task))
            for number in 0..<(task < 16 ? 157 : 156) {
              let source = Int.random(in: 0..<sources, using: &random)
              let filter = Int.random(in: 0..<filters, using: &random)
              let url = server.address("/\(source)\(String(repeating: "a", count: source)).png")
              let own = Counting(name: "\(source) \(filter)", runs: runs)
              let cancels = Int.random(in: 0..<3, using: &random) == 0
              if number.isMultiple(of: 2) {
                let answered = Shared(0)
                let receipt = pipeline.load(ImageRequest(url), filters: own) { result in
                  if case .failure(let error) = result { #expect(error == .requestCancelled && cancels) }
                  answered.change { $0 += 1 }
                  answers.change { $0 += 1 }
                }
                if cancels, let receipt {
                  pipeline.cancel(receipt)
                  #expect(answered.value == 1)
                }
              } else {
                let call = Task {
                  if number % 4 == 1 { return try await pipeline.image(for: url, filters: own).width }
                  return try await pipeline.data(for: url, filters: own, as: .png(compression: 1)).count
                }
                if cancels { call.cancel() }
                switch await call.result {
                case .success(let count): #expect(number % 4 == 1 ? count == 30 : count > 60)
                case .failure(let error): #expect(error as? ImageError == .requestCancelled && cancels)
                }
                #expect(images.memoryUsage <= images.memoryCapacity)
                answers.change { $0 += 1 }
              }
            }
          }
        }
        try await group.waitForAll()
      }
      while answers.value < 10_000 { try await Task.sleep(for: .milliseconds(2)) }
      // Calls that were cancelled during a rendering may have left it to its end.
      while pipeline.totals.renderings < runs.value.count { try await Task.sleep(for: .milliseconds(2)) }
      #expect(answers.value == 10_000)
      #expect(
        runs.value.values.allSatisfy { $0 == 1 },
        "seed \(seed): \(runs.value.filter { $0.value > 1 }), \(pipeline.totals)")
      #expect(runs.value.count > sources * filters / 2)
      #expect((1...runs.value.count).contains(pipeline.totals.encodings), "\(pipeline.totals)")
      let sent = Dictionary(grouping: server.requests, by: \.path)
      #expect(sent.values.allSatisfy { $0.count == 1 })
      #expect(images.count == runs.value.count)
    }
  }

  @Test("the memory cache stays within its limit, whatever is loaded at once")
  func memory() async throws {
    let server = try LoopbackServer { request in imagePage(request.path.utf8.count) }
    defer { server.stop() }
    // Ten images of 30x20, counted with four bytes for each pixel.
    try await withPipeline(memory: 24_000) { pipeline, images in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask {
            _ = try await pipeline.image(for: server.address("/\(number).png"))
            #expect(images.memoryUsage <= 24_000)
          }
        }
        try await group.waitForAll()
      }
      #expect(images.count <= 10 && pipeline.totals.renderings == 200)
    }
  }
}
