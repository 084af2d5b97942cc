import Foundation
import LoopbackServer
import Testing

@Suite("The drafts of imagemill init --from", .timeLimit(.minutes(8)))
struct InitDraftTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  private func makeDirectory(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: command.work + "/" + name, withIntermediateDirectories: true)
  }

  /// Makes images in WebP and PNG.
  private func convert(_ names: [String]) async throws {
    try command.write(PNGImage.bytes(width: 9, height: 7), to: "seed.png")
    for (index, name) in names.enumerated() {
      let size = "fill:\(index + 3)x4"
      let outcome = try await command.run("convert", "seed.png", name, "-f", size)
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    try FileManager.default.removeItem(atPath: command.work + "/seed.png")
  }

  @Test(
    "are valid, and settled after one run",
    arguments: [
      (["images/a.webp"], "images", ["converted/a.webp"]),
      (["images/a.png", "images/a.webp"], "images", ["converted/a-png.webp", "converted/a-webp.webp"]),
      (["images/sub/a.png"], "images/sub", ["converted/a.webp"]),
      (["a.webp", "images/a.webp"], ".", ["converted/a.webp", "converted/images/a.webp"]),
      (["images/a.webp"], "list.txt", ["converted/a.webp"]),
      (["photos/a.webp"], "photos/*.webp", ["images/a.webp"]),
      (["photos/a.png", "photos/b/a.webp"], "photos/**", ["images/a.webp", "images/b/a.webp"]),
    ])
  func settled(sources: [String], from: String, outputs: [String]) async throws {
    try await convert(sources)
    try command.write("images/a.webp\n", to: "list.txt")
    let before = command.files
    let made = try await command.run("init", "--from", from)
    #expect(made.status == 0, "\(made.errors)")
    #expect(try await command.run("validate").status == 0)
    for _ in 0..<3 {
      let run = try await command.run("run")
      #expect(run.status == 0, "\(run.errors)")
      #expect(command.files == (before + outputs + ["imagemill.yaml"]).sorted())
    }
  }

  @Test("a directory without images names a pattern only if that matches something")
  func noImages() async throws {
    try makeDirectory("empty")
    let empty = try await command.run("init", "--from", "empty")
    #expect(
      empty.status == 2 && empty.errors == "imagemill: --from: no images in the directory 'empty'\n",
      "\(empty.errors)")
    try makeDirectory("plain")
    try command.write(PNGImage.bytes(width: 9, height: 7), to: "plain/a")
    let plain = try await command.run("init", "--from", "plain")
    #expect(plain.status == 2 && plain.errors.contains("such as 'plain/**'"), "\(plain.errors)")
    let pattern = try await command.run("init", "--from", "plain/**")
    #expect(pattern.status == 0, "\(pattern.errors)")
    #expect(try await command.run("run").status == 0)
    #expect(command.read("images/a.webp") != nil)
    let own = try await command.run("init", "--from", "**", "-o", "m.yaml")
    #expect(own.status == 2 && own.errors.contains("matches the manifest m.yaml too"), "\(own.errors)")
    let none = try await command.run("init", "--from", "none/*.png", "-o", "m.yaml")
    #expect(none.errors == "imagemill: --from: nothing matches 'none/*.png'\n", "\(none.errors)")
  }

  @Test("a table's only column of URLs or paths is that of the sources")
  func columns() async throws {
    try command.write(PNGImage.bytes(width: 9, height: 7), to: "a.png")
    try command.write("url,id\na.png,7\n", to: "p.csv")
    try command.write("{\"File\":\"a.png\"}\n", to: "p.ndjson")
    for (list, column) in [("p.csv", "url"), ("p.ndjson", "File")] {
      let outcome = try await command.run("init", "--from", list, "-o", "-")
      #expect(outcome.status == 0 && outcome.text.contains("source: \"{\(column)}\"\n"), "\(outcome.errors)")
    }
    #expect(try await command.run("init", "--from", "p.csv").status == 0)
    #expect(try await command.run("run").status == 0)
    #expect(command.read("images/a.webp") != nil)
  }

  @Test("no mistake is placed in the manifest that isn't written", arguments: ["url,src\na,b\n", "id\n7\n"])
  func places(table: String) async throws {
    try command.write(table, to: "p.csv")
    let outcome = try await command.run("init", "--from", "p.csv")
    #expect(outcome.status == 2 && outcome.errors.contains("p.csv:1:1: error: "), "\(outcome.errors)")
    #expect(!outcome.errors.contains("imagemill.yaml"), "\(outcome.errors)")
  }
}
