import Foundation
import LoopbackServer
import TestSupport
import Testing

/// `pipe --failures-are-results`, as a program drives it.
@Suite("imagemill pipe for programs", .timeLimit(.minutes(8)))
struct ProgramPipeTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    for index in 0..<4 {
      try command.write(PNGImage.bytes(width: 8, height: 8, seed: index), to: "\(index).png")
    }
  }

  private static let protocolOptions = ["pipe", "--input", "ndjson", "--json", "--failures-are-results"]

  private func objects(_ outcome: CommandRun.Outcome) throws -> [[String: Any]] {
    try outcome.lines.map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  private func run(_ lines: [String], _ options: String...) async throws -> CommandRun.Outcome {
    try await command.run(
      arguments: Self.protocolOptions + options, input: Data(lines.map { $0 + "\n" }.joined().utf8))
  }

  @Test("exits 0 when every line has its result, failed or not, and says no failure twice")
  func failures() async throws {
    let server = try LoopbackServer(pages: ["/busy.png": Page(status: 503)])
    let outcome = try await run(
      [
        #"{"source":"0.png","output":"a.webp"}"#, #"{"source":"none.png","output":"b.webp"}"#,
        #"{"source":"1.png","filter":"crcle","output":"c.webp"}"#, #"{"source":"2.png"}"#,
        #"{"source":"\#(server.url("/busy.png"))","output":"d.webp"}"#,
      ], "--allow-net", "loopback", "--retries", "0", "--progress", "none", "--placeholders")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let results = try objects(outcome).sorted { ($0["index"] as? Int ?? 0) < ($1["index"] as? Int ?? 0) }
    #expect(results.map { $0["index"] as? Int } == [1, 2, 3, 4, 5])
    #expect(results.map { $0["status"] as? String } == ["written"] + Array(repeating: "failed", count: 4))
    #expect(results[0]["path"] as? String == "./a.webp" || results[0]["path"] as? String == "a.webp")
    #expect(results[0]["seconds"] is Double || results[0]["seconds"] is Int)
    #expect((results[0]["placeholders"] as? [String: Any])?["blurHash"] is String)
    for result in results.dropFirst() { #expect((result["error"] as? [String: Any])?["code"] is String) }
    #expect(!outcome.errors.contains("none.png") && !outcome.errors.contains("crcle"), "\(outcome.errors)")
  }

  @Test(
    "exits 1 when a line can't be read, whose result nobody can assign",
    arguments: ["{\"source\":\"0.png\",", "[1]", "0.png", "{\"source\":\"\u{FFFD}\"} x"])
  func brokenLine(line: String) async throws {
    let outcome = try await run([line, #"{"source":"0.png","output":"a.webp"}"#])
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("records that can't be read"), "\(outcome.errors)")
    #expect(try objects(outcome).count == 2)
  }

  @Test("exits 2 for a wrong command line, and for options that end a run early")
  func usage() async throws {
    for arguments in [
      ["pipe", "--failures-are-results", "-o", "{name}.webp"], Self.protocolOptions + ["--fail-fast"],
      Self.protocolOptions + ["--max-failures", "3"], Self.protocolOptions + ["--nothing"],
    ] {
      let outcome = try await command.run(arguments: arguments)
      #expect(outcome.status == 2 && outcome.text.isEmpty, "\(arguments): \(outcome.errors)")
    }
    // A wrong header is the input's, not a line's.
    let outcome = try await command.run(
      "pipe", "--input", "csv", "--json", "--failures-are-results", "-o", "{name}.webp",
      input: Data("url\na.png\n".utf8))
    #expect(outcome.status == 2)
  }

  @Test("exits 1 when a result can't be written")
  func fullDisk() async throws {
    let outcome = try await command.run(
      [
        "-c",
        "echo '{\"source\":\"0.png\",\"output\":\"a.webp\"}' | '\(CommandRun.executable)' "
          + Self.protocolOptions.joined(separator: " ") + " > /dev/full",
      ], executable: "/bin/bash")
    #expect(
      outcome.status == 1 && outcome.errors.contains("can't write standard output"), "\(outcome.errors)")
  }

  @Test("exits 1, and says nothing, when its reader leaves before the last result")
  func goneReader() async throws {
    let outcome = try await command.run(
      [
        "-c",
        """
        for n in $(seq 3000); do echo '{"source":"0.png","output":"'$n'.webp"}'; done \\
          | '\(CommandRun.executable)' \(Self.protocolOptions.joined(separator: " ")) --progress none | head -n 1 > first
        echo "${PIPESTATUS[1]}"
        """,
      ], executable: "/bin/bash")
    #expect(outcome.text == "1\n" && outcome.errors.isEmpty, "\(outcome.text)\(outcome.errors)")
  }

  /// A running command, with the ends of its pipes.
  private func start(_ options: [String] = []) throws -> (
    process: Process, input: FileHandle, output: FileHandle
  ) {
    let process = command.process(Self.protocolOptions + options)
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    return (process, input.fileHandleForWriting, output.fileHandleForReading)
  }

  @Test("gives the result of a line while its input stays open, and ends soon after it is closed")
  func prompt() async throws {
    let (process, input, output) = try start()
    for index in 0..<3 {
      try input.write(contentsOf: Data("{\"source\":\"\(index).png\",\"output\":\"\(index).webp\"}\n".utf8))
      let line = String(decoding: output.availableData, as: UTF8.self)
      #expect(line.contains("\"index\":\(index + 1),") && line.hasSuffix("}\n"), "\(line)")
    }
    let closed = ContinuousClock.now
    try input.close()
    await process.ended()
    // A second, and as much again for a busy machine.
    #expect(ContinuousClock.now - closed < .seconds(5))
    #expect(process.terminationStatus == 0)
  }

  @Test("reads no further while its results aren't read, and goes on when they are")
  func slowReader() async throws {
    let (process, input, output) = try start(["-j", "2"])
    let padding = String(repeating: "x", count: 400)
    let total = 6000
    let written = Shared(0)
    Thread.detachNewThread {
      for index in 0..<total {
        let line =
          "{\"source\":\"\(index % 4).png\",\"output\":\"\(index).webp\",\"padding\":\"\(padding)\"}\n"
        // A command that ended early is noticed by the lines that it didn't print.
        try? input.write(contentsOf: Data(line.utf8))
        written.change { $0 += 1 }
      }
      try? input.close()
    }
    var (last, still) = (0, 0)
    while still < 20 {
      try await Task.sleep(for: .milliseconds(100))
      let now = written.value
      still = now == last && now > 0 ? still + 1 : 0
      last = now
    }
    // The jobs in flight, what both pipes hold, what has been gathered, and a read of the input.
    #expect(last < 1024 + 4 * (64 << 10) / 400 + 200, "\(last)")
    var lines = 0
    while case let data = output.availableData, !data.isEmpty {
      lines += data.count { $0 == UInt8(ascii: "\n") }
    }
    await process.ended()
    #expect(lines == total && process.terminationStatus == 0)
  }
}
