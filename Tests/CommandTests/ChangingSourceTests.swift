import Foundation
import LoopbackServer
import Testing

/// Local sources that change while a run reads them.
@Suite("A local source that changes during a run", .timeLimit(.minutes(8)))
struct ChangingSourceTests {
  /// How a file gets other bytes.
  enum Change: CaseIterable, Sendable {
    case renamedOver, rewritten, rewrittenWithItsTimes
  }

  private let count = 20

  private func image(_ seed: Int) -> [UInt8] { PNGImage.bytes(width: 300, height: 200, seed: seed) }

  private func apply(_ change: Change, to path: String, _ bytes: [UInt8]) throws {
    let files = FileManager.default
    switch change {
    case .renamedOver:
      try Data(bytes).write(to: URL(fileURLWithPath: path + ".new"))
      #expect(rename(path + ".new", path) == 0)
    case .rewritten, .rewrittenWithItsTimes:
      let times = try files.attributesOfItem(atPath: path)[.modificationDate]
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: Data(bytes))
      try handle.close()
      if change == .rewrittenWithItsTimes, let times {
        try files.setAttributes([.modificationDate: times], ofItemAtPath: path)
      }
    }
  }

  @Test("puts no wrong image into the cache", arguments: Change.allCases)
  func poisoning(_ change: Change) async throws {
    let command = try CommandRun()
    var lines = ""
    for index in 0..<count {
      try command.write(image(index), to: "s\(index).png")
      lines += "s\(index).png\n"
    }
    // The worker stops at every job, so that the others are digested and wait when they are changed.
    try command.write(image(999), to: "slow.png")
    try command.write("slow.png\n" + lines, to: "list.txt")
    let process = command.process(
      ["run", "-j", "1", "-f", "blur:6", "-o", "o/{name}.webp", "list.txt"],
      environment: ["IMAGEMILL_TEST_WORKER": "stop:.png"])
    process.standardError = FileHandle.nullDevice
    try process.run()
    let worker = try await CommandRun.stoppedChild(of: process)
    try await CommandRun.untilIdle(process)
    #expect(!command.files.contains { $0.hasPrefix("o/") })
    for index in 0..<count { try apply(change, to: command.work + "/s\(index).png", image(index + 1000)) }
    try await CommandRun.end(process, continuing: worker)

    // Untouched copies of the originals, with the cache of that run and without it.
    for index in 0..<count { try command.write(image(index), to: "s\(index).png") }
    try command.write(lines, to: "list.txt")
    for (directory, cache) in [("cached", []), ("fresh", ["--no-cache"])] {
      let outcome = try await command.run(
        arguments: ["run"] + cache + ["-f", "blur:6", "-o", "\(directory)/{name}.webp", "list.txt"])
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    for index in 0..<count {
      #expect(command.read("cached/s\(index).webp") == command.read("fresh/s\(index).webp"), "s\(index)")
    }
  }

  @Test("an overlay that changes poisons nothing either", arguments: Change.allCases)
  func overlay(_ change: Change) async throws {
    let command = try CommandRun()
    try command.write(image(999), to: "slow.png")
    let names = (1...8).map { "a\($0)" }
    for (seed, name) in names.enumerated() { try command.write(image(seed), to: name + ".png") }
    try command.write(PNGImage.bytes(width: 30, height: 30, seed: 2), to: "logo.png")
    try command.write((["slow"] + names).map { $0 + ".png\n" }.joined(), to: "list.txt")
    let arguments = ["-f", "blur:6,overlay:logo.png", "list.txt"]
    let process = command.process(
      ["run", "-j", "1", "-o", "o/{name}.png"] + arguments,
      environment: ["IMAGEMILL_TEST_WORKER": "stop:.png"])
    process.standardError = FileHandle.nullDevice
    try process.run()
    let worker = try await CommandRun.stoppedChild(of: process)
    try await CommandRun.untilIdle(process)
    #expect(!command.files.contains { $0.hasPrefix("o/") })
    try apply(change, to: command.work + "/logo.png", PNGImage.bytes(width: 30, height: 30, seed: 3))
    try await CommandRun.end(process, continuing: worker)
    try command.write(PNGImage.bytes(width: 30, height: 30, seed: 2), to: "logo.png")
    #expect(try await command.run(arguments: ["run", "-o", "cached/{name}.png"] + arguments).status == 0)
    #expect(
      try await command.run(arguments: ["run", "--no-cache", "-o", "fresh/{name}.png"] + arguments).status
        == 0)
    for name in ["slow"] + names {
      #expect(command.read("cached/\(name).png") == command.read("fresh/\(name).png"))
    }
  }

  @Test(
    "a file whose content changes while size and modification time stay is another source, and another output"
  )
  func sameStamp() async throws {
    let command = try CommandRun()
    // Larger than what is hashed without asking the index.
    func raw(_ byte: UInt8) -> [UInt8] {
      Array("P6 500 300 255\n".utf8) + [UInt8](repeating: byte, count: 500 * 300 * 3)
    }
    try command.write(raw(10), to: "a.ppm")
    let arguments = ["run", "--allow-format", "ppm", "-o", "{name}.png", "list.txt"]
    try command.write("a.ppm\n", to: "list.txt")
    try await Task.sleep(for: .milliseconds(50))
    #expect(try await command.run(arguments: arguments).status == 0)
    let first = command.read("a.png")
    try apply(.rewrittenWithItsTimes, to: command.work + "/a.ppm", raw(200))
    let again = try await command.run(arguments: arguments)
    #expect(again.status == 0)
    #expect(command.read("a.png") != first, "\(again.errors)")
  }
}
