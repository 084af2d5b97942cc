import Foundation
import LoopbackServer
import Reports
import Testing

@testable import imagemill

@Suite("imagemill pipe, between neighbors that wait or leave", .timeLimit(.minutes(8)))
struct PipePressureTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    for index in 0..<4 {
      try command.write(PNGImage.bytes(width: 8, height: 8, seed: index), to: "\(index).png")
    }
  }

  private static let patient = ["--allow-net", "loopback"] + CommandRun.patient

  /// Starts the command, and writes `lines` to it on a thread of its own.
  private func start(_ arguments: [String], lines: String) throws -> (process: Process, output: FileHandle) {
    let process = command.process(arguments)
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    Thread.detachNewThread {
      // A command that ended early is noticed by the lines that it didn't print.
      try? input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
      try? input.fileHandleForWriting.close()
    }
    return (process, output.fileHandleForReading)
  }

  /// What `count` comes to, `least` or more, and stays at for a second and a half.
  private func settled(atLeast least: Int = 1, _ count: () -> Int) async throws -> Int {
    var (last, still) = (0, 0)
    let deadline = ContinuousClock.now + .seconds(400)
    while still < 15, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(100))
      let now = count()
      still = now == last && now >= least ? still + 1 : 0
      last = now
    }
    #expect(ContinuousClock.now < deadline)
    return last
  }

  @Test("a reader that stops stops the downloads, and one that goes on has all of them")
  func stoppedReader() async throws {
    let image = PNGImage.bytes(width: 8, height: 8)
    let server = try LoopbackServer { _ in Page(image, type: "image/png") }
    let name = String(repeating: "n", count: 200)
    let lines = (1...2400).map { server.url("/\($0).png") + "\n" }.joined()
    let (process, output) = try start(
      ["pipe", "-q", "--per-host", "32"] + Self.patient + [
        "-o", "o/{index}-\(name).png",
      ],
      lines: lines)
    // What the pipe to the reader holds, and the jobs that may be in flight.
    let most = (64 << 10) / 200 + 1024 + 64
    let requests = try await settled { server.requests.count }
    #expect(requests <= most)
    #expect(try CommandRun.peakMemory(of: process) < 200_000_000)
    let printed = output.readDataToEndOfFile()
    await process.ended()
    #expect(process.terminationStatus == 0)
    #expect(printed.count { $0 == UInt8(ascii: "\n") } == 2400)
    #expect(server.requests.count == 2400)
  }

  @Test("an ordered stream reads no further than can wait while its first line is stuck")
  func stuckFirstLine() async throws {
    let gate = Gate()
    defer { gate.open() }
    let image = PNGImage.bytes(width: 8, height: 8)
    let server = try LoopbackServer { _ in Page(image, type: "image/png", gate: gate) }
    let lines = server.url("/first.png") + "\n" + (2...2000).map { "\($0 % 4).png\n" }.joined()
    let (process, output) = try start(
      ["pipe", "-q", "--ordered"] + Self.patient + ["-o", "{index}.webp"], lines: lines)
    let written = try await settled(atLeast: OrderWindow.size - 1) {
      command.files.count { $0.hasSuffix(".webp") && !$0.hasPrefix(".") }
    }
    #expect(written == OrderWindow.size - 1)
    gate.open()
    let printed = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
    await process.ended()
    #expect(process.terminationStatus == 0)
    #expect(printed.split(separator: "\n").map(String.init) == (1...2000).map { "\($0).webp" })
  }

  @Test("a reader that leaves has a quiet end: 0, no message, and no output that isn't whole")
  func goneReader() async throws {
    let outcome = try await command.run(
      [
        "-c",
        """
        yes 1.png | '\(CommandRun.executable)' pipe --progress none -o 'o-{index}.png' 2> messages | head -n 3
        echo "${PIPESTATUS[1]}"
        """,
      ], executable: "/bin/bash")
    #expect(outcome.lines.count == 4)
    #expect(outcome.lines.last == "0")
    #expect(command.read("messages") == Data())
    for line in outcome.lines.prefix(3) {
      #expect(command.read(line).flatMap { PNGImage.size(of: $0) } != nil, "\(line)")
    }
  }

  private static let hasParallel = FileManager.default.isExecutableFile(atPath: "/usr/bin/parallel")

  @Test("GNU parallel gives it blocks of a list, and records of find -print0", .enabled(if: hasParallel))
  func parallel() async throws {
    for index in 0..<12 {
      try command.write(PNGImage.bytes(width: 8, height: 8, seed: index), to: "in \(index).png")
    }
    let parallel = "HOME=$PWD parallel --will-cite -j4 --pipe -N3"
    let mill = "'\(CommandRun.executable)' pipe -q -f scale:4x4"
    for (line, end, folder) in [
      ("ls in* | \(parallel) \"\(mill) -o 'a/{name}.png'\"", "\n", "a"),
      (
        "find . -maxdepth 1 -name 'in*' -print0 | \(parallel) --recend '\\0' \"\(mill) -0 -o 'b/{name}.png'\"",
        "\0", "b"
      ),
    ] {
      let outcome = try await command.run(["-c", line], executable: "/bin/bash")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let printed = outcome.text.split(separator: Character(end)).map(String.init)
      #expect(Set(printed) == Set((0..<12).map { "\(folder)/in \($0).png" }))
      #expect(printed.count == 12)
    }
    // One process a source, all on one cache.
    let outcome = try await command.run(
      ["-c", "ls in* | \(parallel.replacing("-N3", with: "-N1")) \"\(mill) -o 'c/{name}.png'\" | sort"],
      executable: "/bin/bash")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.lines == (0..<12).map { "c/in \($0).png" }.sorted())
  }
}
