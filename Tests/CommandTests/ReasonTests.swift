import Foundation
import LoopbackServer
import Testing

/// Why an output is made or out of date, as `--why` and `--check` say.
@Suite("The reason for an output", .timeLimit(.minutes(8)))
struct ReasonTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  /// a.png is turned to b.png, and that to c.png; the last one comes first.
  private func manifest() throws {
    try command.write(PNGImage.bytes(width: 16, height: 8), to: "a.png")
    try command.write(
      """
      imagemill: 1
      jobs:
        - {source: ./c.png, filter: invert, output: d.png}
        - {source: ./b.png, filter: flip, output: c.png}
        - {source: ./a.png, filter: rotate:90, output: b.png}
      """, to: "m.yaml")
  }

  @Test("'--why' gives a reason for each output that is made, and none for those in place")
  func why() async throws {
    try manifest()
    let first = try await command.run("run", "--why", "m.yaml")
    #expect(first.errors.contains("b.png: never made from this source"), "\(first.errors)")
    #expect(
      first.errors.contains("d.png: its source c.png is made first") || first.errors.contains("made first"))
    let second = try await command.run("run", "--why", "m.yaml")
    #expect(!second.errors.contains("b.png: "), "\(second.errors)")
    try command.write("a.png\n", to: "l.txt")
    for made in [true, false] {
      let list = try await command.run("run", "--why", "-o", "l/{name}.webp", "l.txt")
      #expect(list.status == 0 && command.read("l/a.webp") != nil, "\(list.errors)")
      #expect(list.errors.contains("l/a.webp: never made from this source") == made, "\(list.errors)")
    }
    // A pipe can be read once, by the run.
    let piped = try await command.run(
      [
        "-c", "'\(CommandRun.executable)' run --why --allow-outside -o '{name}.webp' -C p <(echo $PWD/a.png)",
      ], executable: "/bin/bash")
    #expect(piped.status == 0 && command.read("p/a.webp") != nil, "\(piped.errors)")
  }

  // MARK: Where chained jobs are made

  @Test("a reason says whether a file is missing, was edited, was never made, or has another recipe")
  func reasons() async throws {
    try command.write(PNGImage.bytes(width: 40, height: 30), to: "a.png")
    func check(_ filter: String) async throws -> String {
      try command.write(
        "imagemill: 1\njobs: [{source: a.png, filter: \"\(filter)\", output: b.webp}]\n", to: "m.yaml")
      let outcome = try await command.run("run", "--check", "m.yaml")
      return String(outcome.errors.drop { $0 != "b" }.trimmingPrefix("b.webp: "))
    }
    #expect(try await check("flip") == "out of date: never made from this source\n")
    #expect(try await command.run("run", "m.yaml").status == 0)
    #expect(try await check("flip") == "")
    let whole = Array(command.read("b.webp") ?? Data())
    try command.write(whole + [0], to: "b.webp")
    #expect(try await check("flip") == "out of date: changed since imagemill wrote it; the cache has it\n")
    try FileManager.default.removeItem(atPath: command.work + "/b.webp")
    #expect(try await check("flip") == "out of date: missing; the cache has it\n")
    #expect(try await check("flop") == "out of date: filter differs from the last run\n")
    #expect(try await command.run("run", "m.yaml").status == 0)
    #expect(try await check("flip") == "out of date: filter differs from the last run; the cache has it\n")
    #expect(try await command.run("cache", "purge", "--to", "0").status == 0)
    #expect(try await check("flip") == "out of date: filter differs from the last run\n")
    try FileManager.default.removeItem(atPath: command.work + "/b.webp")
    #expect(try await check("flop").hasPrefix("out of date: missing"))
  }

  @Test("'--force' is the reason that '--why' gives")
  func forced() async throws {
    try command.write(PNGImage.bytes(width: 40, height: 30), to: "a.png")
    try command.write("imagemill: 1\njobs: [{source: a.png, output: b.webp}]\n", to: "m.yaml")
    #expect(try await command.run("run", "m.yaml").status == 0)
    let outcome = try await command.run("run", "--force", "--why", "m.yaml")
    #expect(outcome.status == 0 && outcome.errors.contains("b.webp: forced\n"), "\(outcome.errors)")
  }
}
