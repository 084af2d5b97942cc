import Foundation
import LoopbackServer
import Testing

@Suite("equal downloads of two processes", .timeLimit(.minutes(8)))
struct SharedDownloadTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  private func start(_ arguments: [String]) throws -> Process {
    let process = command.process(["fetch", "--allow-net", "loopback"] + CommandRun.patient + arguments)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  private func until(_ condition: () throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(400)
    while try !condition(), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(10)) }
    #expect(try condition())
  }

  /// Until the processes wait for another one's request.
  private func waiting(_ processes: Process...) async throws {
    for process in processes {
      try await CommandRun.until(process, opens: "requests.lock")
      try await CommandRun.untilIdle(process)
    }
  }

  private func end(of processes: Process...) async {
    for process in processes {
      await process.ended()
      #expect(process.terminationStatus == 0)
    }
  }

  @Test("are one, and the second is served what the first has stored")
  func once() async throws {
    let gate = Gate()
    let bytes = PNGImage.bytes(width: 40, height: 30)
    let server = try LoopbackServer { _ in
      Page(bytes, type: "image/png", fields: [("Cache-Control", "max-age=600")], gate: gate)
    }
    defer { server.stop() }
    let first = try start(["-o", "1", server.url("/a")])
    try await until { server.count(of: "/a") == 1 }
    let second = try start(["-o", "2", server.url("/a")])
    let third = try start(["--no-cache", "-o", "3", server.url("/a")])
    // Without a cache there is nothing to share.
    try await until { server.count(of: "/a") == 2 }
    try await waiting(second)
    #expect(server.count(of: "/a") == 2 && second.isRunning)
    gate.open()
    await end(of: first, second, third)
    #expect(server.count(of: "/a") == 2)
    for name in ["1", "2", "3"] { #expect(command.read(name) == Data(bytes), "\(name)") }
  }

  @Test(
    "are two, one after the other, where the response may not be stored; and two at once where credentials differ"
  )
  func notShared() async throws {
    let gate = Gate()
    let server = try LoopbackServer { request in
      Page(text: "x").with(request.path == "/secret" ? "max-age=600" : "no-store", gate)
    }
    defer { server.stop() }
    let first = try start([server.url("/a")])
    let mine = try start([server.url("/secret"), "-u", "me:1"])
    try await until { server.requests.count == 2 }
    let second = try start([server.url("/a")])
    let yours = try start([server.url("/secret"), "-u", "you:2"])
    try await until { server.count(of: "/secret") == 2 }
    try await waiting(second)
    #expect(server.count(of: "/a") == 1 && second.isRunning)
    gate.open()
    await end(of: first, second, mine, yours)
    #expect(server.count(of: "/a") == 2 && server.count(of: "/secret") == 2)
  }

  @Test("if the first is killed, the second goes on where it was")
  func takesOver() async throws {
    let body = (0..<900_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) }
    let sent = 400_000
    let server = try LoopbackServer { request in
      let fields = [("ETag", "\"1\""), ("Cache-Control", "max-age=600"), ("Accept-Ranges", "bytes")]
      guard let range = request.field("Range"), let start = Int(range.dropFirst("bytes=".count).dropLast())
      else {
        return Page(body, type: "image/png", fields: fields, fault: .stall(after: sent))
      }
      return Page(
        Array(body[start...]), type: "image/png", status: 206, reason: "Partial Content",
        fields: fields + [("Content-Range", "bytes \(start)-\(body.count - 1)/\(body.count)")])
    }
    defer { server.stop() }
    let partials = command.directory + "/cache/partial"
    func received() throws -> Int {
      guard FileManager.default.fileExists(atPath: partials) else { return 0 }
      return try FileManager.default.contentsOfDirectory(atPath: partials).filter { !$0.hasSuffix(".json") }
        .reduce(0) { $0 + (FileManager.default.contents(atPath: "\(partials)/\($1)")?.count ?? 0) }
    }
    let first = try start(["-o", "1", server.url("/a")])
    try await until { try received() == sent }
    let second = try start(["-o", "2", server.url("/a")])
    let third = try start(["-o", "3", server.url("/a")])
    try await waiting(second, third)
    #expect(server.count(of: "/a") == 1 && second.isRunning && third.isRunning)
    kill(first.processIdentifier, SIGKILL)
    await first.ended()
    await end(of: second, third)
    #expect(command.read("2") == Data(body) && command.read("3") == Data(body))
    #expect(server.requests.map { $0.field("Range") } == [nil, "bytes=\(sent)-"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: partials).isEmpty)
  }

  @Test("of forty URLs in three processes that start together, each is downloaded once")
  func many() async throws {
    let server = try LoopbackServer { request in
      usleep(5000)
      return Page(text: request.path).with("max-age=600", nil)
    }
    defer { server.stop() }
    let urls = (0..<40).map { server.url("/\($0)") }
    let processes = try (0..<3).map { _ in try start(urls) }
    for process in processes { await end(of: process) }
    for number in 0..<40 { #expect(server.count(of: "/\(number)") == 1, "\(number)") }
  }
}

extension Page {
  fileprivate func with(_ control: String, _ gate: Gate?) -> Page {
    var page = self
    page.fields.append(("Cache-Control", control))
    page.gate = gate
    return page
  }
}
