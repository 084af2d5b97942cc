import Glibc
import LoopbackServer
import Synchronization
import Testing

@testable import Curl

/// What a transfer hands over, kept.
final class MemorySink: TransferSink {
  private let state = Mutex((head: ResponseHead?.none, body: [UInt8]()))
  private let onBytes: @Sendable (Int) -> Void

  init(onBytes: @escaping @Sendable (Int) -> Void = { _ in }) { self.onBytes = onBytes }

  var body: [UInt8] { state.withLock(\.body) }

  func receive(head: ResponseHead) -> Bool {
    state.withLock { $0 = (head, []) }
    return true
  }

  func receive(bytes: UnsafeRawBufferPointer) -> Bool {
    let count = state.withLock { state in
      state.body += bytes
      return state.body.count
    }
    onBytes(count)
    return true
  }
}

@Suite("Transfers", .timeLimit(.minutes(8)))
struct TransferTests {
  private let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) }

  @Test("the body is streamed to the sink, and the answer's head is handed back")
  func streams() async throws {
    let server = try LoopbackServer(pages: [
      "/a": Page(body, type: "image/png", fields: [("ETag", "\"1\"")]),
      "/b": Page(body, framing: .chunked(700)),
    ])
    defer { server.stop() }
    try await withEngine { engine in
      for path in ["/a", "/b"] {
        let sink = MemorySink()
        let result = try await engine.perform(TransferOptions(url: server.url(path)), into: sink)
        #expect(result.head.status == 200)
        #expect(result.byteCount == body.count)
        #expect(sink.body == body)
        if path == "/a" { #expect(result.head.fields.contains { $0.isNamed("etag") && $0.value == "\"1\"" }) }
      }
    }
  }

  @Test("a connection is used again")
  func reuse() async throws {
    let server = try LoopbackServer(pages: ["/a": Page(text: "a")])
    defer { server.stop() }
    try await withEngine { engine in
      for _ in 0..<5 {
        _ = try await engine.perform(TransferOptions(url: server.url("/a")), into: MemorySink())
      }
    }
    #expect(server.count(of: "/a") == 5)
    #expect(server.connectionCount == 1)
  }

  @Test("connections outlive the handles that made them: eight transfers at a time need no ninth")
  func reuseInParallel() async throws {
    let server = try LoopbackServer(pages: ["/a": Page(text: "a"), "/b": Page(body, framing: .chunked(900))])
    defer { server.stop() }
    try await withEngine { engine in
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<8 {
          group.addTask {
            var connections = 0
            for number in 0..<50 {
              let options = TransferOptions(url: server.url(number % 2 == 0 ? "/a" : "/b"))
              connections += try await engine.perform(options, into: MemorySink()).connections
            }
            return connections
          }
        }
        let connections = try await group.reduce(0, +)
        #expect((1...8).contains(connections))
      }
    }
    #expect(server.requests.count == 400)
    #expect((1...8).contains(server.connectionCount))
  }

  @Test("the byte limit ends a body that would never end")
  func byteLimit() async throws {
    let server = try LoopbackServer(pages: ["/a": Page(body, framing: .close, fault: .endless)])
    defer { server.stop() }
    try await withEngine { engine in
      var options = TransferOptions(url: server.url("/a"))
      options.byteLimit = 500_000
      let sink = MemorySink()
      let error = await #expect(throws: CurlError.self) { try await engine.perform(options, into: sink) }
      #expect(error?.reason == .byteLimitExceeded)
      #expect(sink.body.count <= 500_000)
    }
  }

  @Test("a redirect is handed back, not followed")
  func redirect() async throws {
    let server = try LoopbackServer(pages: ["/a": .redirect(to: "/b"), "/b": Page(text: "b")])
    defer { server.stop() }
    try await withEngine { engine in
      let result = try await engine.perform(TransferOptions(url: server.url("/a")), into: MemorySink())
      #expect(result.head.status == 302)
      #expect(result.redirectURL == server.url("/b"))
    }
    #expect(server.count(of: "/b") == 0)
  }

  @Test("cancelling the task ends the transfer")
  func cancellation() async throws {
    let server = try LoopbackServer(pages: ["/a": Page(body, fault: .stall(after: 1000))])
    defer { server.stop() }
    try await withEngine { engine in
      let begun = Gate()
      var options = TransferOptions(url: server.url("/a"))
      (options.timeout, options.stallTimeout) = (nil, 400)
      let task = Task { [options] () async -> CurlError? in
        do throws(CurlError) {
          _ = try await engine.perform(options, into: MemorySink { _ in begun.open() })
          return nil
        } catch {
          return error
        }
      }
      await begun.passed()
      task.cancel()
      #expect(await task.value?.reason == .cancelled)
    }
  }

  @Test("an error keeps libcurl's code and the URL")
  func errors() async throws {
    let server = try LoopbackServer(pages: [
      "/short": Page(body, framing: .announced(900_000), fault: .close(after: 1000))
    ])
    let (short, gone) = (server.url("/short"), server.url("/gone"))
    try await withEngine { engine in
      let partial = await #expect(throws: CurlError.self) {
        try await engine.perform(TransferOptions(url: short), into: MemorySink())
      }
      #expect(partial?.curlCode == 18)
      #expect(partial?.bytesReceived == 1000)
      server.stop()
      let refused = await #expect(throws: CurlError.self) {
        try await engine.perform(TransferOptions(url: gone), into: MemorySink())
      }
      #expect(refused?.curlCode == 7)
      #expect(refused?.url == gone)
    }
  }

  @Test("an address that isn't allowed is never connected to, on a reused connection either")
  func addresses() async throws {
    let server = try LoopbackServer(pages: ["/a": Page(text: "a")])
    defer { server.stop() }
    try await withEngine { engine in
      var options = TransferOptions(url: server.url("/a"))
      options.allowsAddress = { _ in false }
      let refusal = await #expect(throws: CurlError.self) {
        try await engine.perform(options, into: MemorySink())
      }
      guard case .addressRefused = refusal?.reason else {
        Issue.record("\(String(describing: refusal))")
        return
      }
      #expect(server.connectionCount == 0)
      _ = try await engine.perform(TransferOptions(url: server.url("/a")), into: MemorySink())
      await #expect(throws: CurlError.self) { try await engine.perform(options, into: MemorySink()) }
      #expect(server.count(of: "/a") == 1)
    }
  }

  @Test("an engine that is shut down answers whoever waits, and ends its thread")
  func shutDown() async throws {
    let server = try LoopbackServer(pages: ["/a": Page(body, fault: .stall(after: 1000))])
    defer { server.stop() }
    let engine = try TransferEngine()
    let begun = Gate()
    let url = server.url("/a")
    let task = Task { () async -> CurlError? in
      do throws(CurlError) {
        _ = try await engine.perform(TransferOptions(url: url), into: MemorySink { _ in begun.open() })
        return nil
      } catch {
        return error
      }
    }
    await begun.passed()
    await engine.shutDown()
    #expect(await task.value != nil)
    await #expect(throws: CurlError.self) {
      try await engine.perform(TransferOptions(url: url), into: MemorySink())
    }
  }
}
