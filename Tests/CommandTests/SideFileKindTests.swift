import Foundation
import Glibc
import LoopbackServer
import Testing

/// Reports, logs and lock files replace only files of their own kind, and never wait for a named pipe.
@Suite("What files beside the outputs replace", .timeLimit(.minutes(8)))
struct SideFileKindTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    try command.write("imagemill: 1\njobs: [{source: ./a.png, output: made.webp}]\n", to: "m.yaml")
  }

  private func bash(_ line: String) async throws -> CommandRun.Outcome {
    try await command.run(
      ["-c", "imagemill() { timeout -k 60 30 '\(CommandRun.executable)' \"$@\"; }; \(line)"],
      executable: "/bin/bash")
  }

  // MARK: Special files

  @Test(
    "no named pipe, before anything starts",
    arguments: [
      "run --report f.json m.yaml", "run --emit json=f.json m.yaml", "run --emit picture=f.html m.yaml",
      "run --metrics f.prom m.yaml", "run --lock f.lock m.yaml", "pipe -o made.webp --report f.xml a.png",
      "report merge r.ndjson -o f.html", "run --report link.json m.yaml",
    ])
  func pipes(line: String) async throws {
    try command.write("", to: "r.ndjson")
    for name in ["f.json", "f.html", "f.prom", "f.lock", "f.xml"] {
      #expect(mkfifo(command.work + "/" + name, 0o600) == 0)
    }
    #expect(symlink("f.json", command.work + "/link.json") == 0)
    let outcome = try await bash("imagemill \(line)")
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(outcome.errors.contains(" would replace the named pipe "), "\(outcome.errors)")
    #expect(command.read("made.webp") == nil)
  }

  @Test("events go to a named pipe that somebody reads; without a reader, nothing starts")
  func eventPipe() async throws {
    #expect(mkfifo(command.work + "/e", 0o600) == 0)
    let unread = try await bash("imagemill run --events e m.yaml")
    #expect(unread.status == 2 && unread.errors.contains("the pipe has no reader"), "\(unread.errors)")
    #expect(command.read("made.webp") == nil)
    let read = try await bash("exec 3<> e; imagemill run -q --events e m.yaml && head -n 1 <&3")
    #expect(read.status == 0 && read.text.hasPrefix("{\"version\":1,\"event\":"), "\(read.errors)")
  }

  @Test("a signal ends a run whose event pipe is full")
  func fullPipe() async throws {
    #expect(mkfifo(command.work + "/e", 0o600) == 0)
    let jobs = (0..<900).map { "{source: ./none\($0).png, output: \($0).webp}" }.joined(separator: ", ")
    try command.write("imagemill: 1\njobs: [\(jobs)]\n", to: "many.yaml")
    let outcome = try await command.run(
      ["-c", "exec 3<> e; timeout -k 60 4 '\(CommandRun.executable)' run -q --events e many.yaml"],
      executable: "/bin/bash")
    #expect(outcome.status == 124, "\(outcome.errors)")
  }

  @Test("a pipe that the shell has opened is written to")
  func substitution() async throws {
    let outcome = try await bash(
      "imagemill run -q --emit json=>(cat > e.json) --events >(cat > v) m.yaml; wait")
    #expect(outcome.status == 0, "\(outcome.errors)")
    for _ in 0..<100 where command.read("e.json")?.isEmpty != false {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(command.read("e.json")?.isEmpty == false && command.read("v")?.isEmpty == false)
  }

  // MARK: Files of another kind

  @Test(
    "no file of another kind",
    arguments: [
      "run --lock images.yaml m.yaml", "run --report images.json m.yaml",
      "run --emit json=images.json m.yaml",
      "run --emit srcset=images.json m.yaml", "run --emit picture=images.yaml m.yaml",
      "run --events other.txt m.yaml", "run --metrics other.csv m.yaml", "run --lock other.txt m.yaml",
      "run --emit srcset=other.csv m.yaml", "run --emit picture=index.html m.yaml",
      "run --report index.html m.yaml", "run --report data.json m.yaml", "run --report feed.xml m.yaml",
      "pipe --netrc-file nrc --events nrc -o y.webp a.png",
      "pipe --netrc-file nrc --emit srcset=nrc -o y.webp a.png",
      "run --netrc-file nrc --metrics nrc m.yaml",
      "pipe -f overlay:logo --source logo=logo.svg --emit srcset=logo.svg -o y.webp a.png",
      "report merge r.ndjson -o data.json",
    ])
  func others(line: String) async throws {
    let files = [
      "images.yaml": "# pictures\nimagemill: 1\njobs: []\n",
      "images.json": "{\"imagemill\": 1, \"jobs\": []}",
      "other.txt": "a.png\nb.png\n", "other.csv": "source,output\na.png,b.webp\n",
      "index.html": "<!DOCTYPE html>\n<html><body><img src=a.png></body></html>\n", "data.json": "{\"a\": 1}",
      "feed.xml": "<?xml version=\"1.0\"?><feed/>", "nrc": "machine h login u password p\n",
      "logo.svg": "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "r.ndjson": "",
    ]
    for (name, text) in files { try command.write(text, to: name) }
    let outcome = try await bash("imagemill \(line)")
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(outcome.errors.contains(#/ would replace the |exists and isn't an? /#), "\(outcome.errors)")
    for (name, text) in files { #expect(command.read(name) == Data(text.utf8), "\(name)") }
    #expect(command.read("made.webp") == nil && command.read("y.webp") == nil)
  }

  @Test("an empty file, and what the same option wrote, however a formatter has changed it")
  func own() async throws {
    let options = [
      "--report r.json", "--report r.ndjson", "--report r.xml", "--report r.html", "--emit json=e.json",
      "--emit srcset=s.txt", "--emit picture=p.html", "--events v.log", "--metrics t.prom", "--lock l.lock",
    ]
    let names = options.compactMap { $0.split(whereSeparator: { " =".contains($0) }).last.map(String.init) }
    for name in names { try command.write("", to: name) }
    for round in 0..<3 {
      let outcome = try await bash("imagemill run --force \(options.joined(separator: " ")) m.yaml")
      #expect(outcome.status == 0, "\(round): \(outcome.errors)")
      for name in names where name.hasSuffix(".json") {
        let text = String(decoding: try #require(command.read(name)), as: UTF8.self)
        try command.write(text.replacing("{\"", with: "{\n  \"").replacing("\":", with: "\": "), to: name)
      }
    }
  }
}
