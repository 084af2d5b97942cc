import Foundation
import LoopbackServer
import Testing

/// Originals that no command replaces, by whatever path, and however it learned of them.
@Suite("Protected files", .timeLimit(.minutes(8)))
struct ProtectedFileTests {
  private let command: CommandRun
  private let originals = ["a.png", "b.png", "logo.png", "sub/a.png"]

  init() throws {
    command = try CommandRun()
    try FileManager.default.createDirectory(atPath: command.work + "/sub", withIntermediateDirectories: true)
    for (seed, name) in originals.enumerated() { try command.write(Self.image(seed), to: name) }
    try command.write("imagemill: 1\njobs: [{source: a.png, output: x.webp}]\n", to: "m.yaml")
    try command.write("a.png\n", to: "one.txt")
  }

  private static func image(_ seed: Int) -> [UInt8] { PNGImage.bytes(width: 30, height: 20, seed: seed) }

  /// Runs a line of a shell, and checks that it fails and leaves all originals and the manifest.
  private func refuses(
    _ line: String, status: Int32 = 2, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let outcome = try await command.run(
      ["-c", "imagemill() { '\(CommandRun.executable)' \"$@\"; }; \(line)"], executable: "/bin/bash")
    #expect(outcome.status == status, "\(line): \(outcome.errors)", sourceLocation: sourceLocation)
    for (seed, name) in originals.enumerated() {
      #expect(
        command.read(name) == Data(Self.image(seed)), "\(line): \(name)", sourceLocation: sourceLocation)
    }
    #expect(
      command.read("m.yaml")?.starts(with: Data("imagemill: 1".utf8)) == true, "\(line)",
      sourceLocation: sourceLocation)
  }

  @Test(
    "are refused through a directory that would be made, as without it",
    arguments: ["", "./", "sub/../", "new/../", "new/deep/../../", "sub/new/../../"])
  func detours(detour: String) async throws {
    try await refuses("imagemill convert a.png -f flip \(detour)a.png")
    try await refuses("imagemill convert a.png -o \(detour)a.png")
    try await refuses("imagemill pipe a.png -o \(detour)a.png")
    // Known from the chain alone: a conversion's own images are sources too.
    try await refuses(
      "imagemill convert a.png -f overlay:logo.png \(detour)logo.png", status: 1)
    for option in ["--lock", "--events", "--metrics", "--emit json=", "--emit picture="] {
      let space = option.hasSuffix("=") ? "" : " "
      for name in ["b.png", "a.png", "m.yaml"] {
        try await refuses("imagemill run m.yaml \(option)\(space)\(detour)\(name)")
      }
    }
    try FileManager.default.copyItem(atPath: command.work + "/a.png", toPath: command.work + "/a.json")
    try await refuses("imagemill run m.yaml --report \(detour)a.json")
    #expect(command.read("a.json") == Data(Self.image(0)))
    #expect(command.read("x.webp") == nil)
  }

  @Test(
    "include what a wrong line of a stream names, if it is read before the output is written",
    arguments: [
      "a.png", #"{"source":"a.png","output":"q.png","filter":"fil:3"}"#,
      #"{"source":"a.png","output":"q.bogus"}"#,
      #"{"source":["none.png","a.png"],"output":"q.png","quality":"x"}"#,
      #"{"source":"b.png","placeholder":"a.png","output":"../q.png"}"#,
    ])
  func rejected(line: String) async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in Page(Self.image(9), type: "image/png", gate: gate) }
    defer { server.stop() }
    let isList = line == "a.png"
    let url = server.url("/a.png")
    let first = isList ? url : "{\"source\":\"\(url)\",\"output\":\"a.png\"}"
    try command.write(first + "\n" + line + "\n", to: "lines")
    let form = isList ? "-f flip -o '{name}.png'" : "--input ndjson"
    let opening = Task {
      while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
      // The second line came in the same bytes as the first one.
      try await Task.sleep(for: .seconds(2))
      gate.open()
    }
    defer { opening.cancel() }
    try await refuses("imagemill pipe --allow-net loopback --stall-timeout 5m \(form) < lines", status: 1)
  }

  @Test("include standard input")
  func standardInput() async throws {
    for line in ["convert - a.png -f flip", "convert - -o a.png -f flip", "pipe - -o a.png -f flip"] {
      try await refuses("imagemill \(line) < a.png")
    }
    try await refuses("imagemill convert logo.png --source l=- -f overlay:l a.png < a.png")
    try await refuses("imagemill run - < m.yaml --lock m.yaml")
    try await refuses("imagemill pipe --format png -o one.txt < one.txt", status: 1)
    #expect(command.read("one.txt") == Data("a.png\n".utf8))
    let piped = try await command.run(
      ["-c", "cat a.png | '\(CommandRun.executable)' convert - new.webp"], executable: "/bin/sh")
    #expect(piped.status == 0, "\(piped.errors)")
  }

  @Test("include named sources, used or not")
  func named() async throws {
    for line in [
      "convert --source l=b.png a.png b.png", "convert --source l=b.png a.png -o b.png",
      "pipe --source l=b.png a.png -o b.png",
      "run --source l=b.png one.txt -o b.png",
    ] { try await refuses("imagemill \(line)") }
    try await refuses("imagemill pipe --source l=b.png -o b.png < one.txt", status: 1)
    try await refuses(
      #"printf '{"source":"a.png","output":"b.png"}\n{"source":"a.png","output":"q.png","filter":"overlay:l"}\n'"#
        + " | imagemill pipe --input ndjson --source l=b.png", status: 1)
    try command.write(
      "imagemill: 1\nsources: {l: b.png}\njobs: [{source: a.png, output: b.png}]\n", to: "m.yaml")
    try await refuses("imagemill run m.yaml")
    // Unless a job makes the named one.
    try command.write(
      "imagemill: 1\nsources: {l: made.png}\njobs: [{source: a.png, output: made.png}, "
        + "{source: b.png, output: c.png, filter: \"overlay:l\"}]\n", to: "m.yaml")
    for _ in 1...2 {
      for line in ["m.yaml", "m.yaml one.txt -o z.webp"] {
        let outcome = try await command.run(arguments: ["run"] + line.split(separator: " ").map(String.init))
        #expect(outcome.status == 0, "\(outcome.errors)")
      }
    }
  }

  @Test("two outputs of one place are a mistake, whatever links lead there", arguments: ["here", "sub/up"])
  func links(link: String) async throws {
    try FileManager.default.createSymbolicLink(
      atPath: command.work + "/" + link, withDestinationPath: link == "here" ? "." : "..")
    try command.write(
      "imagemill: 1\njobs:\n  - {source: a.png, output: x.webp}\n  - {source: b.png, output: \(link)/x.webp}\n",
      to: "m.yaml")
    for word in ["validate", "run", "plan"] { try await refuses("imagemill \(word) m.yaml") }
    try command.write("source,output\na.png,n/x.webp\nb.png,\(link)/n/x.webp\n", to: "t.csv")
    try await refuses("imagemill run t.csv")
    try await refuses("imagemill pipe --input csv < t.csv", status: 1)
    // An output is found through a link too.
    try command.write(
      "imagemill: 1\njobs:\n  - {source: \(link)/p.png, output: q.webp}\n  - {source: a.png, output: p.png}\n",
      to: "m.yaml")
    for round in 1...2 {
      let outcome = try await command.run("run", "m.yaml")
      #expect(outcome.status == 0, "\(round): \(outcome.errors)")
    }
    #expect(try await command.run("run", "m.yaml", "\(link)/q.webp").status == 0)
  }
}
