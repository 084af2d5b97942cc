import Foundation
import LoopbackServer
import Testing

@Suite("imagemill init", .timeLimit(.minutes(8)))
struct InitTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  @Test("the first manifest is valid, has the schema's line, and is never replaced")
  func example() async throws {
    let outcome = try await command.run("init")
    #expect(outcome.status == 0 && outcome.errors.contains("'imagemill run'"), "\(outcome.errors)")
    let text = String(decoding: try #require(command.read("imagemill.yaml")), as: UTF8.self)
    #expect(text.hasPrefix("# yaml-language-server: $schema=imagemill.schema.json\n"))
    #expect(try await command.run("validate").status == 0)
    // Its comments hold jobs that are right too.
    let all = text.replacing(#/(?m)^  # (?=- source|- from|  )/#, with: "  ")
    try command.write(all.components(separatedBy: "  - from:")[0], to: "all.yaml")
    let validation = try await command.run("validate", "all.yaml")
    #expect(validation.status == 0, "\(validation.errors)")
    try command.write(PNGImage.bytes(width: 8, height: 8), to: "photo.jpg")
    #expect(try await command.run("run").status == 0)
    #expect(command.read("images/photo.webp") != nil)
    #expect(try await command.run("init").status == 2)
    #expect(String(decoding: try #require(command.read("imagemill.yaml")), as: UTF8.self) == text)
  }

  @Test("a list, a table and a directory become manifests that run")
  func sources() async throws {
    try FileManager.default.createDirectory(
      atPath: command.work + "/photos/in a {row}", withIntermediateDirectories: true)
    for name in ["photos/a.png", "photos/in a {row}/a.png", "photos/in a {row}/b.PNG"] {
      try command.write(PNGImage.bytes(width: 8, height: name.utf8.count), to: name)
    }
    try command.write("not an image", to: "photos/readme.txt")
    try command.write("photos/a.png\n", to: "list.txt")
    try command.write("source,id\nphotos/a.png,7\n", to: "table.csv")
    for (from, results) in [
      ("list.txt", ["images/a.webp"]), ("./table.csv", ["images/a.webp"]),
      ("photos/", ["images/a.webp", "images/in a {row}/a.webp", "images/in a {row}/b.webp"]),
    ] {
      let made = try await command.run("init", "--from", from, "-o", "m.yaml")
      #expect(made.status == 0, "\(from): \(made.errors)")
      let outcome = try await command.run("run", "m.yaml")
      #expect(outcome.status == 0, "\(from): \(outcome.errors)")
      let files = command.files.filter { $0.hasPrefix("images/") }
      #expect(files == results, "\(from)")
      try FileManager.default.removeItem(atPath: command.work + "/m.yaml")
      try FileManager.default.removeItem(atPath: command.work + "/images")
    }
  }

  @Test("sources of one name get different paths")
  func sameNames() async throws {
    try command.write("https://a.example/x.jpg\nhttps://b.example/x.jpg\n", to: "hosts.txt")
    try command.write("https://a.example/1/x.jpg\nhttps://a.example/2/x.jpg\n", to: "same.txt")
    for (list, template) in [("hosts", "{host}/{name}"), ("same", "{host}/{dir}/{name}")] {
      let outcome = try await command.run("init", "--from", "\(list).txt", "-o", "-")
      #expect(
        outcome.text.contains("output: \"images/\(template).webp\""), "\(outcome.text)\(outcome.errors)")
    }
  }

  @Test("a new source leaves the outputs of the others alone")
  func stable() async throws {
    try FileManager.default.createDirectory(atPath: command.work + "/p", withIntermediateDirectories: true)
    try command.write(PNGImage.bytes(width: 8, height: 8), to: "p/b.png")
    try command.write(PNGImage.bytes(width: 8, height: 9), to: "p/b.PNG")
    #expect(try await command.run("init", "--from", "p").status == 0)
    #expect(try await command.run("run").status == 0)
    let made = command.files.filter { $0.hasPrefix("images/") }
    #expect(made == ["images/b-PNG.webp", "images/b-png.webp"])
    try command.write(PNGImage.bytes(width: 8, height: 10), to: "p/a.png")
    let outcome = try await command.run("run")
    #expect(outcome.status == 0 && outcome.errors.contains("2 unchanged"), "\(outcome.errors)")
    #expect(command.files.filter { $0.hasPrefix("images/") } == ["images/a-png.webp"] + made)
    try command.write("https://a.example/x.jpg?1\nhttps://a.example/x.jpg?2\n", to: "query.txt")
    let list = try await command.run("init", "--from", "query.txt", "-o", "-")
    #expect(list.status == 0 && !list.text.contains("{index"), "\(list.text)\(list.errors)")
  }

  @Test(
    "a file that isn't YAML is refused with the name to take", arguments: ["x.toml", "x.json", "x.txt", "x"])
  func suffixes(name: String) async throws {
    let outcome = try await command.run("init", "-o", name)
    #expect(outcome.status == 2 && outcome.errors.contains("name it 'x.yaml'"), "\(outcome.errors)")
    #expect(command.files.isEmpty)
    #expect(try await command.run("init", "-o", "x.yaml").errors.contains("in place of ./photo.jpg"))
  }

  @Test("images beside the manifest become sources, and what is made of them doesn't")
  func here() async throws {
    try command.write(PNGImage.bytes(width: 8, height: 8), to: "a.png")
    #expect(try await command.run("init", "--from", ".").status == 0)
    for _ in 0..<2 {
      #expect(try await command.run("run").status == 0)
      #expect(command.files.filter { $0.hasPrefix("images/") } == ["images/a.webp"])
    }
  }

  @Test("what can't be a manifest's source is a usage error, and nothing is written")
  func mistakes() async throws {
    try FileManager.default.createDirectory(
      atPath: command.work + "/empty", withIntermediateDirectories: true)
    try command.write("id\n1\n", to: "table.csv")
    for (arguments, words) in [
      (["--from", "none"], "no file or directory"), (["--from", "empty"], "no images"),
      (["--from", "table.csv"], "'source'"), (["--from", ".."], "outside"),
    ] {
      let outcome = try await command.run(["init"] + arguments)
      #expect(outcome.status == 2 && outcome.errors.contains(words), "\(arguments): \(outcome.errors)")
      #expect(command.read("imagemill.yaml") == nil)
    }
  }
}
