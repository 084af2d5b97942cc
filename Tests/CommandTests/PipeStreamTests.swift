import Foundation
import LoopbackServer
import Testing

@Suite("imagemill pipe, with long inputs and in the shell", .timeLimit(.minutes(8)))
struct PipeStreamTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    for index in 0..<4 {
      try command.write(PNGImage.bytes(width: 8, height: 8, seed: index), to: "\(index).png")
    }
  }

  /// What a shell prints for a line in which `imagemill` is the built command.
  private func shell(_ line: String) throws -> String {
    let shell = command.process([])
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", "imagemill() { '\(CommandRun.executable)' \"$@\"; }\n" + line]
    let output = Pipe()
    shell.standardInput = FileHandle.nullDevice
    shell.standardOutput = output
    try shell.run()
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    shell.waitUntilExit()
    return String(decoding: printed, as: UTF8.self)
  }

  @Test("50,000 lines: the first result comes before the input ends, and memory stays under 200 MB")
  func longInput() throws {
    let process = command.process(["pipe", "-n", "-f", "scale:4x4", "-o", "o/{name}-{index}.png"])
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let reader = output.fileHandleForReading
    try input.fileHandleForWriting.write(contentsOf: Data("0.png\n".utf8))
    #expect(String(decoding: reader.availableData, as: UTF8.self) == "o/0-1.png\n")
    Thread.detachNewThread {
      let lines = (2...50_000).map { "\($0 % 4).png\n" }.joined()
      // A command that ended early is noticed by the lines that it didn't print.
      try? input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
    }
    var count = 1
    while count < 50_000 {
      let data = reader.availableData
      if data.isEmpty { break }
      count += data.count { $0 == UInt8(ascii: "\n") }
    }
    #expect(count == 50_000)
    #expect(try CommandRun.peakMemory(of: process) < 200_000_000)
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test("NUL-separated names from find may hold spaces and line breaks, and results are NUL-separated")
  func names() throws {
    try command.write(PNGImage.bytes(width: 8, height: 8), to: "in a.png")
    try command.write(PNGImage.bytes(width: 8, height: 8), to: "in\nb.png")
    let printed = try shell("find . -name 'in*' -print0 | imagemill pipe -q -0 -o 'o-{name}.png'")
    #expect(printed.split(separator: "\0").count == 2)
    #expect(printed.hasSuffix("\0"))
    #expect(printed.split(separator: "\0").contains("o-in a.png"))
  }

  @Test("every form of record carries its fields through", arguments: ["ndjson", "csv", "tsv"])
  func fields(form: String) async throws {
    let text =
      switch form {
      case "ndjson": "{\"source\":\"0.png\",\"who\":\"A, B\"}\n{\"source\":\"none.png\",\"who\":\"x\"}\n"
      case "csv": "source,who\n0.png,\"A, B\"\nnone.png,x\n"
      default: "source\twho\n0.png\tA, B\nnone.png\tx\n"
      }
    let outcome = try await command.run(
      "pipe", "-q", "--input", form, "--json", "--ordered", "-o", "o/{who}.png", input: Data(text.utf8))
    #expect(outcome.status == 1)
    let results = try outcome.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(results.map { $0["index"] as? Int } == [1, 2])
    #expect(results.map { ($0["fields"] as? [String: Any])?["who"] as? String } == ["A, B", "x"])
    #expect(results.map { $0["status"] as? String } == ["written", "failed"])
    #expect((results.last?["error"] as? [String: Any])?["code"] is String)
  }

  @Test("results keep the input's order where that is asked for")
  func order() async throws {
    let gate = Gate()
    let image = PNGImage.bytes(width: 8, height: 8)
    let server = try LoopbackServer { request in
      Page(image, type: "image/png", gate: request.path == "/0.png" ? gate : nil)
    }
    defer { gate.open() }
    let input = (0..<12).map { server.url("/\($0).png") + "\n" }.joined()
    async let outcome = command.run(
      arguments: ["pipe", "-q", "--ordered", "--allow-net", "loopback", "-o", "o/{name}.png"]
        + CommandRun.patient, input: Data(input.utf8))
    // All the others are written while the first is still on its way.
    let deadline = ContinuousClock.now + .seconds(400)
    while ContinuousClock.now < deadline,
      command.files.count(where: { $0.hasPrefix("o/") && !$0.contains("/.") }) < 11
    {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(ContinuousClock.now < deadline)
    gate.open()
    #expect(try await outcome.lines == (0..<12).map { "o/\($0).png" })
  }
}
