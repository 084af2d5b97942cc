import LoopbackServer
import Testing

@testable import Curl

/// Where transfers end before their body does.
@Suite("Limits of transfers", .timeLimit(.minutes(8)))
struct TransferLimitTests {
  private static let body = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 17) }

  private static let framings: [(name: String, framing: Page.Framing)] = [
    ("length", .length), ("chunked", .chunked(700)), ("close", .close),
  ]

  @Test("a body of as many bytes as are allowed is whole, and one more is too many")
  func byteLimit() async throws {
    let server = try LoopbackServer(
      pages: Dictionary(
        uniqueKeysWithValues: Self.framings.map { ("/\($0.name)", Page(Self.body, framing: $0.framing)) }))
    defer { server.stop() }
    try await withEngine { engine in
      for (name, _) in Self.framings {
        let sink = MemorySink()
        let result = try await engine.result(server.url("/\(name)"), into: sink) { $0.byteLimit = 5000 }
        #expect(result.byteCount == 5000 && sink.body == Self.body, "\(name)")
        for limit in [4999, 1, 0] {
          let counting = CountingSink()
          let error = await engine.failure(server.url("/\(name)"), into: counting) { $0.byteLimit = limit }
          #expect(error?.reason == .byteLimitExceeded, "\(name) \(limit): \(String(describing: error))")
          #expect(error?.curlCode == 0 && error?.status == 200)
          #expect(counting.calls.bytes <= limit && error?.bytesReceived == counting.calls.bytes)
        }
      }
    }
  }

  @Test("no body is too long for no bytes")
  func noBytes() async throws {
    let server = try LoopbackServer(pages: ["/a": Page()])
    defer { server.stop() }
    try await withEngine { engine in
      let sink = CountingSink()
      let result = try await engine.result(server.url("/a"), into: sink) { $0.byteLimit = 0 }
      #expect(result.byteCount == 0 && sink.calls.heads.count == 1 && sink.calls.pieces == 0)
    }
  }

  @Test("a sink that doesn't want the body gets none of it")
  func unwantedHead() async throws {
    let server = try LoopbackServer(pages: ["/a": Page(Self.body), "/empty": Page()])
    defer { server.stop() }
    try await withEngine { engine in
      for path in ["/a", "/empty"] {
        let sink = CountingSink(wantsHead: false)
        let error = await engine.failure(server.url(path), into: sink)
        #expect(
          error?.reason == .stoppedBySink && error?.status == 200, "\(path): \(String(describing: error))")
        #expect(sink.calls.heads.count == 1 && sink.calls.pieces == 0 && !sink.calls.isLate)
      }
    }
  }

  @Test("a sink that has enough gets no more, wherever it stops", arguments: [1, 700, 701, 4999, 5000])
  func enough(limit: Int) async throws {
    let server = try LoopbackServer(
      pages: Dictionary(
        uniqueKeysWithValues: Self.framings.map { ("/\($0.name)", Page(Self.body, framing: $0.framing)) }))
    defer { server.stop() }
    try await withEngine { engine in
      for (name, _) in Self.framings {
        let sink = CountingSink(limit: limit)
        let error = await engine.failure(server.url("/\(name)"), into: sink)
        #expect(error?.reason == .stoppedBySink, "\(name): \(String(describing: error))")
        #expect(sink.calls.bytes >= limit && !sink.calls.isLate && !sink.calls.isOutOfOrder)
        #expect(error?.bytesReceived == sink.calls.bytes)
      }
      let whole = try await engine.result(server.url("/length"))
      #expect(whole.byteCount == 5000)
    }
  }

  @Test("a head without end is cut off")
  func headTooLong() async throws {
    let fields = (0..<400).map { (name: "X-\($0)", value: String(repeating: "x", count: 1000)) }
    let server = try LoopbackServer(pages: ["/a": Page(Self.body, fields: fields)])
    defer { server.stop() }
    try await withEngine { engine in
      let sink = CountingSink()
      let error = await engine.failure(server.url("/a"), into: sink)
      // libcurl's own limit may be lower than this one.
      #expect(error?.reason == .headTooLong || error?.reason == .transport, "\(String(describing: error))")
      #expect(sink.calls.bytes == 0)
    }
  }

  @Test("a body that is longer than was announced fails, and its rest isn't the next response")
  func tooLong() async throws {
    let response = Array(
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
    let server = try LoopbackServer { request in
      request.path == "/bad" ? Page(response, framing: .rawOpen(milliseconds: 2000)) : Page(text: "good")
    }
    defer { server.stop() }
    try await withEngine { engine in
      for _ in 0..<5 {
        let error = await engine.failure(server.url("/bad"))
        #expect(error?.reason == .longerThanAnnounced, "\(String(describing: error))")
        let sink = MemorySink()
        let result = try await engine.result(server.url("/good"), into: sink)
        #expect(result.head.status == 200 && sink.body == Array("good".utf8))
      }
    }
  }

  @Test(
    "a body that is shorter than was announced fails, with as much of it as came",
    arguments: [Page.Fault.close(after: 1000), .reset(after: 1000), .badChunk(after: 1000)])
  func tooShort(fault: Page.Fault) async throws {
    let isChunk = if case .badChunk = fault { true } else { false }
    let server = try LoopbackServer(
      pages: ["/a": Page(Self.body, framing: isChunk ? .chunked(500) : .length, fault: fault)])
    defer { server.stop() }
    try await withEngine { engine in
      let sink = CountingSink()
      let error = await engine.failure(server.url("/a"), into: sink)
      #expect(error?.reason == .transport && error?.curlCode != 0, "\(String(describing: error))")
      #expect(error?.status == 200 || error?.bytesReceived == 0)
      #expect(sink.calls.bytes <= 1000 && sink.calls.bytes == error?.bytesReceived)
    }
  }

  @Test(
    "a server that says nothing at all is an error without a status", arguments: [Page.Fault.reset(after: -1)]
  )
  func nothing(fault: Page.Fault) async throws {
    let server = try LoopbackServer(pages: [
      "/a": Page(Self.body, fault: fault), "/empty": Page([], framing: .raw),
    ])
    defer { server.stop() }
    try await withEngine { engine in
      for path in ["/a", "/empty"] {
        let error = await engine.failure(server.url(path))
        #expect(error?.reason == .transport && error?.status == nil && error?.bytesReceived == 0, "\(path)")
        #expect([52, 56].contains(error?.curlCode), "\(String(describing: error))")
      }
    }
  }

  @Test("the time for the whole transfer ends it, whether the head has come or not")
  func timeouts() async throws {
    let gate = Gate()
    let server = try LoopbackServer(pages: [
      "/stall": Page(Self.body, fault: .stall(after: 1000)), "/silent": Page(Self.body, gate: gate),
    ])
    defer {
      gate.open()
      server.stop()
    }
    try await withEngine { engine in
      for path in ["/stall", "/silent"] {
        let error = await engine.failure(server.url(path)) { options in
          options.timeout = 2
          options.stallTimeout = 300
        }
        #expect(error?.reason == .transport && error?.curlCode == 28, "\(path): \(String(describing: error))")
        #expect(error?.requests == 1)
        if path == "/silent" { #expect(error?.status == nil && error?.bytesReceived == 0) }
      }
    }
  }

  @Test("a body that comes slowly isn't one that stands still")
  func drip() async throws {
    let body = Array(Self.body.prefix(6))
    let server = try LoopbackServer(pages: [
      "/a": Page(body, fault: .drip(bytes: 1, milliseconds: 600))
    ])
    defer { server.stop() }
    try await withEngine { engine in
      let error = await engine.failure(server.url("/a")) { options in
        (options.timeout, options.stallTimeout) = (300, 2)
      }
      #expect(error == nil, "\(String(describing: error))")
    }
  }

  @Test("a body that stands still ends the transfer, though the whole has time")
  func stall() async throws {
    let server = try LoopbackServer(pages: ["/a": Page(Self.body, fault: .stall(after: 1000))])
    defer { server.stop() }
    try await withEngine { engine in
      let start = ContinuousClock.now
      let error = await engine.failure(server.url("/a")) { options in
        (options.timeout, options.stallTimeout) = (300, 2)
      }
      #expect(error?.curlCode == 28 && error?.bytesReceived == 1000, "\(String(describing: error))")
      #expect(error?.message == "no data arrived for 2 s" && error?.status == 200)
      // Not after an average over several seconds.
      #expect(ContinuousClock.now - start < .seconds(5))
    }
  }
}
