import Foundation
import LoopbackServer
import Testing

/// Equal renderings of several processes on one cache.
@Suite("Renderings that processes share", .timeLimit(.minutes(8)))
struct SharedRenderingTests {
  private let command: CommandRun
  private let count = 8

  init() throws {
    command = try CommandRun()
    var list = ""
    for number in 0..<count {
      try command.write(PNGImage.bytes(width: 700, height: 500, seed: number), to: "s\(number).png")
      list += "s\(number).png\n"
    }
    try command.write(list, to: "list.txt")
  }

  private func arguments(_ directory: String) -> [String] {
    [
      "run", "-j", "1", "-f", "median:5,median:5", "-C", directory, "-o", "{name}.webp", "--report",
      "\(directory).json", "list.txt",
    ]
  }

  private func renderings(_ directory: String) throws -> Int {
    let report = try #require(command.read("\(directory).json"))
    let json = try #require(try JSONSerialization.jsonObject(with: report) as? [String: Any])
    let summary = try #require(json["summary"] as? [String: Any])
    return try #require(summary["renderings"] as? Int)
  }

  private func outputs(_ directory: String) -> [Data?] {
    (0..<count).map { command.read("\(directory)/s\($0).webp") }
  }

  @Test("each is rendered by one process, and all have it")
  func once() async throws {
    async let first = command.run(arguments: arguments("a"))
    async let second = command.run(arguments: arguments("b"))
    async let third = command.run(arguments: arguments("c"))
    let outcomes = try await [first, second, third]
    for outcome in outcomes { #expect(outcome.status == 0, "\(outcome.errors)") }
    let total = try renderings("a") + renderings("b") + renderings("c")
    #expect(total == count)
    #expect(outputs("a").allSatisfy { $0 != nil })
    #expect(outputs("a") == outputs("b") && outputs("b") == outputs("c"))
  }

  @Test("a process that is killed leaves its renderings to the others")
  func takeover() async throws {
    // Its worker stops in the middle of a rendering.
    let first = command.process(arguments("a"), environment: ["IMAGEMILL_TEST_WORKER": "stop:s3.png"])
    first.standardError = FileHandle.nullDevice
    try first.run()
    let worker = try await CommandRun.stoppedChild(of: first)
    defer { kill(worker, SIGKILL) }
    let second = command.process(arguments("b"))
    second.standardError = FileHandle.nullDevice
    try second.run()
    try await CommandRun.until(second, opens: "requests.lock")
    kill(first.processIdentifier, SIGKILL)
    await first.ended()
    await second.ended()
    #expect(second.terminationStatus == 0)
    #expect(outputs("b").allSatisfy { $0 != nil })
    #expect(try renderings("b") > 0)
  }

  @Test("a process that is stopped holds nobody up for long")
  func stopped() async throws {
    let process = command.process(arguments("a"))
    process.standardError = FileHandle.nullDevice
    try process.run()
    while command.read("a/s0.webp") == nil { try await Task.sleep(for: .milliseconds(5)) }
    kill(process.processIdentifier, SIGSTOP)
    let outcome = try await command.run(arguments: arguments("b"))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outputs("b").allSatisfy { $0 != nil })
    kill(process.processIdentifier, SIGCONT)
    await process.ended()
    #expect(process.terminationStatus == 0)
    #expect(outputs("a") == outputs("b"))
  }
}
