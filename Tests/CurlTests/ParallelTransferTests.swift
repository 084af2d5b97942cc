import Glibc
import LoopbackServer
import Synchronization
import TestSupport
import Testing

@testable import Curl

@Suite("Many transfers at once", .timeLimit(.minutes(8)))
struct ParallelTransferTests {
  private static let body = (0..<30_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }

  private static func server() throws -> LoopbackServer {
    try LoopbackServer { request in
      switch request.path {
      case "/reset": Page(body, fault: .reset(after: 2000))
      case "/stall": Page(body, fault: .stall(after: 2000))
      case "/chunked": Page(body, framing: .chunked(4096))
      default: Page(body)
      }
    }
  }

  /// How a transfer ended.
  private enum End: Hashable { case whole, cancelled, failed, wrong }

  private static func end(_ engine: TransferEngine, _ options: TransferOptions) async -> End {
    let sink = MemorySink()
    do throws(CurlError) {
      let result = try await engine.perform(options, into: sink)
      return sink.body == body && result.byteCount == body.count ? .whole : .wrong
    } catch {
      return error.reason == .cancelled ? .cancelled : error.reason == .transport ? .failed : .wrong
    }
  }

  @Test("each ends once, as itself, with others cancelled around it at random")
  func cancels() async throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    let server = try Self.server()
    defer { server.stop() }
    try await withEngine { engine in
      for _ in 0..<6 {
        var tasks: [(path: String, isCancelled: Bool, task: Task<End, Never>)] = []
        for _ in 0..<40 {
          let path = ["/a", "/a", "/chunked", "/reset", "/stall"][Int.random(in: 0..<5, using: &random)]
          var options = TransferOptions(url: server.url(path))
          options.stallTimeout = 300
          let task = Task { [options] in await Self.end(engine, options) }
          // What stalls would never end by itself.
          tasks.append((path, path == "/stall" || Int.random(in: 0..<4, using: &random) == 0, task))
          if Bool.random(using: &random) { await Task.yield() }
        }
        for index in tasks.indices.shuffled(using: &random) where tasks[index].isCancelled {
          tasks[index].task.cancel()
          if Bool.random(using: &random) { await Task.yield() }
        }
        for (path, isCancelled, task) in tasks {
          let end = await task.value
          let expected: Set<End> =
            switch path {
            case "/stall": [.cancelled]
            case "/reset": isCancelled ? [.failed, .cancelled] : [.failed]
            default: isCancelled ? [.whole, .cancelled] : [.whole]
            }
          #expect(expected.contains(end), "seed \(seed): \(path) \(isCancelled ? "cancelled" : ""): \(end)")
        }
      }
    }
  }

  @Test("a task that is cancelled before it begins sends nothing")
  func cancelledBefore() async throws {
    let server = try Self.server()
    defer { server.stop() }
    try await withEngine { engine in
      let options = TransferOptions(url: server.url("/never"))
      for _ in 0..<20 {
        let gate = Gate()
        let task = Task {
          await gate.passed()
          return await Self.end(engine, options)
        }
        task.cancel()
        gate.open()
        #expect(await task.value == .cancelled)
      }
    }
    #expect(server.count(of: "/never") == 0)
  }

  @Test("a connection of a cancelled transfer isn't used for another: its body's rest is still to come")
  func cancelledConnection() async throws {
    let server = try Self.server()
    defer { server.stop() }
    try await withEngine { engine in
      for _ in 0..<5 {
        let begun = Gate()
        var options = TransferOptions(url: server.url("/stall"))
        options.stallTimeout = 300
        let task = Task { [options] () -> CurlError? in
          do throws(CurlError) {
            _ = try await engine.perform(options, into: MemorySink { _ in begun.open() })
            return nil
          } catch { return error }
        }
        await begun.passed()
        task.cancel()
        #expect(await task.value?.reason == .cancelled)
        #expect(await Self.end(engine, TransferOptions(url: server.url("/a"))) == .whole)
      }
    }
  }

  @Test("an engine that is shut down amid many ends each of them once, and every later one")
  func shutDown() async throws {
    let server = try Self.server()
    defer { server.stop() }
    for round in 0..<5 {
      let engine = try TransferEngine()
      let options = TransferOptions(url: server.url(round % 2 == 0 ? "/stall" : "/a"))
      let ends = await withTaskGroup(of: CurlError.Reason?.self) { group in
        for number in 0..<24 {
          group.addTask {
            do throws(CurlError) {
              _ = try await engine.perform(options, into: MemorySink())
              return nil
            } catch { return error.reason }
          }
          if number == 12 {
            group.addTask {
              await engine.shutDown(); return nil
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(ends.count == 25)
      #expect(ends.allSatisfy { $0 == nil || $0 == .shutDown }, "\(ends)")
      #expect(await engine.failure(server.url("/a"))?.reason == .shutDown)
      await engine.shutDown()
    }
  }

  @Test("every message to the mailbox is answered exactly once, whenever the loop ends")
  func mailbox() async throws {
    let server = try Self.server()
    defer { server.stop() }
    for stopAfter in [0, 1, 10, 30] {
      let mailbox = try TransferMailbox(connectionLimit: 4)
      let counts = Mutex([Int](repeating: 0, count: 40))
      let stops = Atomic(0)
      let all = Gate()
      for number in 0..<40 {
        if number == stopAfter { mailbox.post(.stop { stops.add(1, ordering: .relaxed) }) }
        let id = TransferID()
        let options = TransferOptions(url: server.url(number % 3 == 0 ? "/stall" : "/a"))
        mailbox.post(
          .start(id, options, MemorySink()) { _ in
            let isLast = counts.withLock { counts in
              counts[number] += 1
              return !counts.contains(0)
            }
            if isLast { all.open() }
          })
        // Cancelled twice, before the loop has even begun.
        if number % 5 == 0 { for _ in 0..<2 { mailbox.post(.cancel(id)) } }
      }
      var thread = pthread_t()
      pthread_create(
        &thread, nil,
        { box in
          if let box {
            TransferLoop(mailbox: Unmanaged<TransferMailbox>.fromOpaque(box).takeRetainedValue()).run()
          }
          return nil
        }, Unmanaged.passRetained(mailbox).toOpaque())
      await all.passed()
      pthread_join(thread, nil)
      #expect(counts.withLock { $0 } == [Int](repeating: 1, count: 40))
      #expect(stops.load(ordering: .relaxed) == 1)
      #expect(mailbox.multi == nil && mailbox.take().isEmpty)
      // Whoever comes now is told at once.
      mailbox.post(.stop { stops.add(1, ordering: .relaxed) })
      mailbox.post(.cancel(TransferID()))
      #expect(stops.load(ordering: .relaxed) == 2)
    }
  }

  @Test("eight at a time share eight connections, though their bodies are of all kinds")
  func connections() async throws {
    let server = try Self.server()
    defer { server.stop() }
    try await withEngine { engine in
      await withTaskGroup(of: Void.self) { group in
        for worker in 0..<8 {
          group.addTask {
            for number in 0..<20 {
              let path = (worker + number) % 2 == 0 ? "/a" : "/chunked"
              #expect(await Self.end(engine, TransferOptions(url: server.url(path))) == .whole)
            }
          }
        }
      }
    }
    #expect(server.requests.count == 160 && server.connectionCount <= 8)
  }
}
