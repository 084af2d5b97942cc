import Foundation
import LoopbackServer
import Testing

@Suite("Lists that are wrong, and reports that are lists", .timeLimit(.minutes(8)))
struct RepeatedMistakeTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 40, height: 30), to: "a.png")
  }

  @Test(
    "a table without a column of sources is status 2 in every command",
    arguments: ["run", "validate", "pipe"])
  func header(name: String) async throws {
    try command.write("file,id\na.png,1\n", to: "t.csv")
    let table = Data("file,id\na.png,1\n".utf8)
    let outcome =
      name == "pipe"
      ? try await command.run("pipe", "--input", "csv", "-o", "{id}.webp", input: table)
      : try await command.run(name, "-o", "{id}.webp", "t.csv")
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(outcome.errors.contains("no column 'source'"), "\(outcome.errors)")
    // A wrong row fails its own job only.
    let rows = try await command.run(
      "pipe", "--input", "csv", "-o", "{id}.webp", input: Data("source,id\na.png,1,2\na.png,1\n".utf8))
    #expect(rows.status == 1)
    #expect(command.read("1.webp") != nil)
  }

  @Test("a report is a manifest of what it tells of")
  func report() async throws {
    let lines = """
      {"source":"a.png","output":"x{{1}}.webp","filter":"scale:8x8","id":7,"title":"ä"}
      {"source":"none.png","output":"y.webp","title":null}

      """
    let first = try await command.run(
      "pipe", "-q", "--input", "ndjson", "--report", "rep.ndjson", "-o", "unused", input: Data(lines.utf8))
    #expect(first.status == 1, "\(first.errors)")
    #expect(command.read("x{1}.webp") != nil)
    try command.write(PNGImage.bytes(width: 20, height: 10), to: "none.png")
    try FileManager.default.removeItem(atPath: command.work + "/x{1}.webp")
    let again = try await command.run("run", "-q", "--report", "again.ndjson", "rep.ndjson")
    #expect(again.status == 0, "\(again.errors)")
    #expect(command.read("x{1}.webp") != nil)
    #expect(command.read("y.webp") != nil)
    let text = String(decoding: try #require(command.read("again.ndjson")), as: UTF8.self)
    #expect(text.contains("\"fields\":{\"id\":7,\"title\":\"ä\"}"), "\(text)")
  }

  @Test("convert fills in fields, makes directories, and says as much as is wanted")
  func convert() async throws {
    let outcome = try await command.run(
      "convert", "-v", "a.png", "-f", "scale:8x6", "--format", "webp,jpeg", "new/{name}-{width}.{ext}")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let made = try #require(command.files.first { $0.hasPrefix("new/a-8.") })
    #expect(outcome.errors.hasPrefix("imagemill: note: a.png: written \(made), 8 × 6 "), "\(outcome.errors)")
    let quiet = try await command.run("convert", "-q", "a.png", "b.webp")
    #expect(quiet.status == 0 && quiet.errors.isEmpty)
    let braces = try await command.run("convert", "a.png", "{{x}}.webp")
    #expect(braces.status == 0, "\(braces.errors)")
    #expect(command.read("{x}.webp") != nil)
    let unknown = try await command.run("convert", "a.png", "{x}.webp")
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("unknown field '{x}'"), "\(unknown.errors)")
    #expect(try await command.run("convert", "-q", "-v", "a.png", "c.webp").status == 2)
  }

  @Test("cache list has columns, and says how many outputs there are of what")
  func list() async throws {
    try command.write(
      "imagemill: 1\njobs:\n  - {source: ./a.png, output: o.png, filter: \"scale:8x8\"}\n", to: "m.yaml")
    #expect(try await command.run("run", "-q", "m.yaml").status == 0)
    let outcome = try await command.run("cache", "list")
    #expect(!outcome.lines.isEmpty)
    #expect(
      outcome.lines.allSatisfy { $0.contains(/^[0-9a-f]{16}  +\d+(  \d+ outputs?)?(  \S+)*$/) },
      "\(outcome.text)")
    #expect(outcome.text.contains("  1 output"), "\(outcome.text)")
  }

  @Test("cache explain takes the run's options: networks, and a list's template")
  func explain() async throws {
    let image = PNGImage.bytes(width: 40, height: 30)
    let server = try LoopbackServer { _ in
      Page(image, type: "image/png", fields: [("Cache-Control", "max-age=1000")])
    }
    try command.write("\(server.url("/a.png"))\n", to: "list.txt")
    let options = ["--allow-net", "loopback", "-o", "{name}.webp", "-f", "scale:8x8"]
    #expect(try await command.run(arguments: ["run", "-q"] + options + ["list.txt"]).status == 0)
    let outcome = try await command.run(arguments: ["cache", "explain"] + options + ["a.webp"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.text.contains("nothing differs"), "\(outcome.text)")
    // The template is recorded, and so is the directory.
    for directory in ["", "made", "\(command.directory)/elsewhere"] {
      let place = directory.isEmpty ? [] : ["-C", directory]
      #expect(try await command.run(arguments: ["run", "-q"] + options + place + ["list.txt"]).status == 0)
      let short = try await command.run(
        "cache", "explain", "--allow-net", "loopback", "-f", "scale:8x8",
        directory.isEmpty ? "a.webp" : directory + "/a.webp")
      #expect(short.text.contains("nothing differs"), "\(short.text)\(short.errors)")
    }
  }

  @Test(
    "cache explain of a file whose source was an operand or on standard input doesn't speak of a manifest")
  func explainedWithoutManifest() async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 8), to: "a.png")
    #expect(try await command.run("pipe", "-o", "{name}.webp", "a.png").status == 0)
    #expect(try await command.run("pipe", "-o", "in.webp", input: Data("a.png\n".utf8)).status == 0)
    for name in ["a.webp", "in.webp"] {
      let outcome = try await command.run("cache", "explain", name)
      #expect(outcome.status == 0)
      #expect(
        outcome.lines.last == "today     unknown: the sources were operands or standard input",
        "\(outcome.text)")
      #expect(!outcome.text.contains("manifest"), "\(outcome.text)")
    }
    #expect(try await command.run("convert", "a.png", "b.webp").status == 0)
    let converted = try await command.run("cache", "explain", "b.webp")
    #expect(converted.status == 1)
    #expect(converted.errors.contains("by 'imagemill convert SOURCE OUTPUT'"), "\(converted.errors)")
  }

  @Test("cache explain of a file whose manifest has a mistake today says what is recorded, and the mistake")
  func explainMistake() async throws {
    try command.write("imagemill: 1\njobs:\n  - {source: ./a.png, output: o.png}\n", to: "m.yaml")
    #expect(try await command.run("run", "-q", "m.yaml").status == 0)
    try command.write("imagemill: 1\njobs:\n  - {source: ./a.png, outptu: o.png}\n", to: "m.yaml")
    let outcome = try await command.run("cache", "explain", "o.png")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.text.contains("engine ") && outcome.text.contains("outptu"), "\(outcome.text)")
  }
}
