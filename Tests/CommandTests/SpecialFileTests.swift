import Foundation
import Glibc
import LoopbackServer
import Testing

/// Named pipes, devices, links and full disks in the place of files.
@Suite("Files that are none", .timeLimit(.minutes(8)))
struct SpecialFileTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    #expect(mkfifo(command.work + "/pipe.ttf", 0o600) == 0)
    #expect(mkfifo(command.work + "/pipe.png", 0o600) == 0)
  }

  @Test(
    "a named pipe that nobody writes to fails its job and blocks nothing",
    arguments: [
      "pipe -f text:a:pipe.ttf -o out.png a.png", "convert a.png -f text:a:pipe.ttf -o out.png",
      "pipe -o out.png pipe.png", "pipe -f overlay:pipe.png -o out.png a.png", "convert pipe.png -o out.png",
      "inspect pipe.png", "pipe -o pipe.png a.png",
    ])
  func namedPipe(line: String) async throws {
    let outcome = try await command.run(arguments: line.split(separator: " ").map(String.init))
    #expect(outcome.status == 1, "\(outcome.errors)")
    #expect(outcome.errors.contains("pipe."), "\(outcome.errors)")
    #expect(command.files == ["a.png", "pipe.png", "pipe.ttf"])
    var status = stat()
    #expect(lstat(command.work + "/pipe.png", &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }

  @Test("an output beneath a named pipe is refused before anything starts")
  func beneathNamedPipe() async throws {
    let outcome = try await command.run("pipe", "-o", "pipe.png/out.png", "a.png")
    #expect(outcome.status == 2 && outcome.errors.contains("pipe.png"), "\(outcome.errors)")
    #expect(command.files == ["a.png", "pipe.png", "pipe.ttf"])
  }

  @Test("outputs that can't be written fail by name, and the others are written")
  func outputs() async throws {
    #expect(symlink("/dev/null", command.work + "/device.png") == 0)
    let long = String(repeating: "x", count: 300)
    let names = ["device.png", "pipe.png", "\(long).png", "good.png"]
    let jobs = names.map { "  - {source: a.png, output: '\($0)'}" }.joined(separator: "\n")
    try command.write("imagemill: 1\njobs:\n\(jobs)\n", to: "m.yaml")
    let outcome = try await command.run("run", "m.yaml")
    #expect(outcome.status == 1)
    for (name, reason) in [
      ("device.png", "isn't a regular file"), ("pipe.png", "isn't a regular file"),
      (long, "File name too long"),
    ] {
      let line = try #require(outcome.errors.split(separator: "\n").first { $0.contains(name) }, "\(name)")
      #expect(line.contains(reason), "\(line)")
    }
    #expect(command.read("good.png") != nil)
  }

  @Test(
    "an output that a link leads elsewhere is refused, or fails where it isn't known before",
    arguments: [true, false])
  func link(isKnown: Bool) async throws {
    #expect(mkdir(command.directory + "/elsewhere", 0o700) == 0)
    #expect(symlink("../elsewhere", command.work + "/link") == 0)
    let outcome = try await command.run(
      arguments: ["pipe", "-o", "link/new/{name}.png"] + (isKnown ? ["a.png"] : []),
      input: Data("a.png\n".utf8))
    #expect(outcome.status == (isKnown ? 2 : 1))
    #expect(outcome.errors.contains(isKnown ? "is outside" : "lies outside"), "\(outcome.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: command.directory + "/elsewhere") == [])
  }

  @Test("a limit of file sizes fails the jobs that reach it, and is no fault of their images")
  func fileSizes() async throws {
    try command.write(
      """
      imagemill: 1
      jobs:
        - {source: a.png, filter: 'fit:4x4', output: small.tif}
        - {source: a.png, filter: 'scale:3000x3000', output: large.tif, encode: {compression: none}}
      """, to: "m.yaml")
    let outcome = try await command.run(
      ["-c", "ulimit -f 8192; exec '\(CommandRun.executable)' run --report r.json m.yaml"],
      executable: "/bin/bash")
    #expect(outcome.status == 1, "\(outcome.errors)")
    #expect(outcome.errors.contains("File too large; raise the limit with 'ulimit -f'"), "\(outcome.errors)")
    let report = try #require(command.read("r.json").map { String(decoding: $0, as: UTF8.self) })
    #expect(report.contains("\"file-size\"") && !report.contains("encode-failed"), "\(report)")
    #expect(command.files.contains("small.tif") && !command.files.contains("large.tif"))
    // Without the limit, nothing stands in the way.
    let again = try await command.run("run", "m.yaml")
    #expect(again.status == 0, "\(again.errors)")
    #expect(command.files.contains("large.tif"))
  }

  @Test("what a killed run left beside the outputs is removed by the next run that writes there")
  func leftovers() async throws {
    try command.write("part", to: ".imagemill-abc.tmp")
    try command.write("mine", to: ".other.tmp")
    let old = [timespec(tv_sec: 1000, tv_nsec: 0), timespec(tv_sec: 1000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, command.work + "/.imagemill-abc.tmp", old, 0) == 0)
    let outcome = try await command.run("pipe", "-o", "out.png", "a.png")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(command.files == [".other.tmp", "a.png", "out.png", "pipe.png", "pipe.ttf"])
  }
}
