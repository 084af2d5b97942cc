import Foundation
import ImageRendering
import LoopbackServer
import Testing

@testable import imagemill

@Suite("--sandbox", .timeLimit(.minutes(8)))
struct SandboxCommandTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 8), to: "evil.png")
    try command.write(PNGImage.bytes(width: 8, height: 8, seed: 1), to: "good.png")
    try command.write("evil.png\ngood.png\n", to: "list.txt")
  }

  private let arguments = ["run", "-f", "scale:4x4", "-o", "out/{name}.png", "list.txt"]

  private func isMade(_ name: String) -> Bool { command.read("out/\(name).png") != nil }

  @Test(
    "a refused system call fails its job by name, and nothing is remembered against the image",
    .enabled(if: WorkerSandbox.isComplete))
  func refused() async throws {
    let first = try await command.run(
      arguments: arguments + ["--report", "r.json"], environment: ["IMAGEMILL_TEST_WORKER": "execute:evil"])
    #expect(first.status == 1 && first.errors.contains("--sandbox off"), "\(first.errors)")
    #expect(!isMade("evil") && isMade("good"))
    let report = String(decoding: try #require(command.read("r.json")), as: UTF8.self)
    #expect(report.contains("\"system-call-refused\""))
    let second = try await command.run(arguments: arguments + ["--sandbox", "strict"])
    #expect(second.status == 0, "\(second.errors)")
    #expect(isMade("evil"))
  }

  @Test("a worker ends with its parent even if it can't notice")
  func orphan() async throws {
    let process = command.process(arguments, environment: ["IMAGEMILL_TEST_WORKER": "stop:evil"])
    process.standardError = FileHandle.nullDevice
    try process.run()
    // Stopped, it reads nothing from its socket.
    let worker = try await CommandRun.stoppedChild(of: process)
    kill(process.processIdentifier, SIGKILL)
    await process.ended()
    while CommandRun.isAlive(worker) { try await Task.sleep(for: .milliseconds(5)) }
  }

  @Test("a crash costs convert and inspect an error, and not the process; without a worker there is none")
  func commands() async throws {
    let crash = ["IMAGEMILL_TEST_WORKER": "crash:evil"]
    let lines = [
      ["convert", "evil.png", "out.webp"],
      ["convert", "--no-cache", "evil.png", "-o", "out/{name}.webp", "good.png"],
      ["inspect", "evil.png", "good.png"],
    ]
    for line in lines {
      let boxed = try await command.run(arguments: line + ["--sandbox", "auto"], environment: crash)
      #expect(boxed.status == 1 && boxed.errors.contains("evil.png: "), "\(boxed.errors)")
      #expect(boxed.errors.contains("the decoder crashed"), "\(boxed.errors)")
      let own = try await command.run(arguments: line + ["--sandbox", "off"])
      #expect(own.status == 0, "\(own.errors)")
      let well = try await command.run(arguments: line + ["--sandbox", "auto"])
      #expect(well.status == 0 && well.output == own.output, "\(well.errors)")
    }
    let plain = try await command.run(arguments: ["inspect", "evil.png"], environment: crash)
    #expect(plain.status == 0, "\(plain.errors)")
  }

  @Test(
    "convert and inspect end a worker that takes too long",
    arguments: ["convert evil.png -f circle out.png", "inspect evil.png"])
  func timeout(line: String) async throws {
    let outcome = try await command.run(
      arguments: line.split(separator: " ").map(String.init) + ["--sandbox", "auto", "--job-timeout", "1s"],
      environment: ["IMAGEMILL_TEST_WORKER": "hang:evil"])
    // A machine that is too busy to let the worker begin is a temporary failure.
    let isStarved = outcome.errors.contains("because the machine gave it less")
    #expect(outcome.status == (isStarved ? 75 : 1), "\(outcome.errors)")
    #expect(outcome.errors.contains("raise --job-timeout"), "\(outcome.errors)")
    #expect(command.read("out.png") == nil)
  }

  @Test("strict renders nothing on a kernel without filters or rules; auto and off do")
  func incomplete() {
    let refusal = SandboxArgument.strict.refusal(missing: ["filters", "rules"])
    #expect(refusal == "--sandbox strict requires a kernel with filters and rules; auto does without")
    #expect(SandboxArgument.strict.refusal(missing: []) == nil)
    for argument in [SandboxArgument.auto, .off] { #expect(argument.refusal(missing: ["filters"]) == nil) }
  }

  @Test("doctor reports what the kernel has, and notes what it lacks")
  func doctor() async throws {
    var findings: [Diagnosis.Finding] = []
    _ = Diagnosis.sandbox(hasFilter: true, filesVersion: 7, &findings)
    #expect(findings.isEmpty)
    _ = Diagnosis.sandbox(hasFilter: false, filesVersion: 0, &findings)
    #expect(findings.map(\.isBroken) == [false, false])
    #expect(findings[0].remedy.contains("seccomp") && findings[1].remedy.contains("Landlock"))
    let here = Diagnosis.sandbox(
      hasFilter: WorkerSandbox.hasFilter, filesVersion: WorkerSandbox.filesVersion, &findings)
    let outcome = try await command.run("doctor")
    #expect(outcome.text.contains("sandbox      \(here)\n"), "\(outcome.text)")
  }

  @Test("a manifest can't turn it off")
  func manifest() async throws {
    try command.write(
      "imagemill: 1\nsettings: {sandbox: off}\njobs: [{source: ./good.png, output: out/good.png}]\n",
      to: "m.yaml")
    let outcome = try await command.run("run", "m.yaml")
    #expect(outcome.status == 2 && outcome.errors.contains("sandbox"), "\(outcome.errors)")
    #expect(!isMade("good"))
  }
}
