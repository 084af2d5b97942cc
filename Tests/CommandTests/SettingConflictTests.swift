import Foundation
import ImageBatch
import ImageCaches
import LoopbackServer
import Testing

@testable import imagemill

/// Settings of the configuration file that don't fit the command line.
@Suite("Settings and options that exclude each other", .timeLimit(.minutes(8)))
struct SettingConflictTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    try command.write("imagemill: 1\njobs: [{source: ./a.png, output: made.webp}]\n", to: "m.yaml")
  }

  private func configure(_ text: String) throws {
    let directory = command.directory + "/config/imagemill"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try Data((text + "\n").utf8).write(to: URL(filePath: directory + "/config.toml"))
  }

  @Test(
    "a switch that was typed goes before its opposite in the configuration file",
    arguments: [
      ("quiet = true", ["run", "-v", "m.yaml"], true), ("verbose = true", ["run", "-q", "m.yaml"], false),
      ("quiet = true", ["pipe", "--verbose", "-o", "b.webp", "a.png"], true),
    ])
  func rivals(settings: String, line: [String], speaks: Bool) async throws {
    try configure(settings)
    let outcome = try await command.run(arguments: line)
    #expect(outcome.status == 0 && outcome.errors.isEmpty == !speaks, "\(outcome.errors)")
  }

  @Test("a variable goes before the opposite in the configuration file, and both in one place are a mistake")
  func layers() async throws {
    try configure("quiet = true")
    let loud = try await command.run("run", "m.yaml", environment: ["IMAGEMILL_VERBOSE": "1"])
    #expect(loud.status == 0 && !loud.errors.isEmpty, "\(loud.errors)")
    try configure("quiet = true\nverbose = true")
    let both = try await command.run("run", "m.yaml")
    #expect(both.status == 2 && both.errors.contains("can't be used together"), "\(both.errors)")
    #expect(try await command.run("run", "-v", "m.yaml").status == 0)
  }

  @Test("a setting that can't be left out on the command line is turned off as the message says")
  func advice() async throws {
    try configure("no-cache = true")
    let refused = try await command.run("run", "--offline", "m.yaml")
    #expect(refused.status == 2)
    #expect(
      refused.errors.contains("config.toml:1:1") && refused.errors.contains("IMAGEMILL_NO_CACHE=no turns"),
      "\(refused.errors)")
    let off = try await command.run("run", "--offline", "m.yaml", environment: ["IMAGEMILL_NO_CACHE": "no"])
    #expect(off.status == 0, "\(off.errors)")
  }

  @Test("an origin without a header waits for a command that has one")
  func headerFor() async throws {
    try configure("header-for = \"https://example.com\"")
    #expect(try await command.run("run", "m.yaml").status == 0)
    let shown = try await command.run("config")
    #expect(shown.status == 0 && shown.text.contains("https://example.com"), "\(shown.errors)")
    let typed = try await command.run("run", "--header-for", "https://example.com", "m.yaml")
    #expect(typed.status == 2 && typed.errors.contains("--header-for needs -H"), "\(typed.errors)")
  }

  @Test(
    "a full temporary directory is no matter of the cache",
    arguments: [
      JobError.Reason.cache(.noSpace), .download(.cache(.noSpace)),
      .rendering(.noSpace(directory: "/small/imagemill-scratch-1/tmp")),
    ])
  func temporarySpace(reason: JobError.Reason) {
    let message = "can't write /small/imagemill-scratch-1/tmp/2: No space left on device"
    let error = JobError(code: .cacheFailed, stage: .download, reason, message: message)
    #expect(
      error.withRemedy.message == "\(message); free some space, or set TMPDIR to a directory on another disk")
    let cache = CacheError(code: .fileSystem, .noSpace, message: message)
    #expect(cache.messageWithRemedy() == error.withRemedy.message)
    #expect(
      CacheError(code: .fileSystem, .noSpace, message: "can't write /cache/tmp/2").messageWithRemedy()
        .contains("--cache-dir"))
  }

  @Test(
    "a dash that stands for standard input is no secret, and a name and password are one",
    arguments: [
      (["-u", "-"], "-u -"), (["-u-"], "-u-"), (["--user=-"], "--user=-"), (["--user", "-"], "--user -"),
      (["-u", "me:pw"], "-u …"), (["--user=me:pw"], "--user=…"), (["-ume"], "-u…"),
    ])
  func dash(words: [String], shown: String) {
    #expect(Continuation.commandLine(["run"] + words) == "imagemill run \(shown)")
  }
}
