import Foundation
import LoopbackServer
import Testing

@Suite("Fields of the command line's chain", .timeLimit(.minutes(8)))
struct CommandChainFieldTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 60, height: 40), to: "a.png")
    try command.write(PNGImage.bytes(width: 60, height: 40), to: "b.png")
  }

  @Test("run fills a CSV's columns in: each row draws its own text")
  func run() async throws {
    try command.write("source,sku\na.png,I\na.png,O\na.png,I\n", to: "c.csv")
    let outcome = try await command.run(
      "run", "-f", "text:{sku}:size=20", "-o", "{index}.png", "c.csv")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let images = ["1.png", "2.png", "3.png"].map(command.read)
    #expect(images[0] != nil)
    #expect(images[0] != images[1])
    #expect(images[0] == images[2])
  }

  @Test(
    "pipe does so for its input's fields",
    arguments: [
      ("csv", "source,sku\na.png,\"x,flip\"\n"), ("ndjson", "{\"source\":\"a.png\",\"sku\":\"x,flip\"}\n"),
    ])
  func pipe(form: String, input: String) async throws {
    let outcome = try await command.run(
      "pipe", "--input", form, "-f", "text:{sku}", "-o", "{name}-small.png", "--json", input: Data(input.utf8)
    )
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.text.contains("text:string=x%2Cflip:"), "\(outcome.text)")
  }

  @Test("a directory is mirrored by run, pipe and convert")
  func directories() async throws {
    for directory in ["in/a/b", "in/a_b"] {
      try FileManager.default.createDirectory(
        atPath: command.work + "/" + directory, withIntermediateDirectories: true)
      try command.write(PNGImage.bytes(width: 6, height: 4), to: directory + "/x.png")
    }
    let list = "in/a/b/x.png\nin/a_b/x.png\n"
    let piped = try await command.run("pipe", "-o", "piped/{dir}/{name}.jpg", input: Data(list.utf8))
    #expect(piped.status == 0, "\(piped.errors)")
    try command.write(list, to: "list.txt")
    let ran = try await command.run("run", "-o", "ran/{dir}/{name}.jpg", "list.txt")
    #expect(ran.status == 0, "\(ran.errors)")
    #expect(
      command.files.filter { $0.hasSuffix(".jpg") } == [
        "piped/in/a/b/x.jpg", "piped/in/a_b/x.jpg", "ran/in/a/b/x.jpg", "ran/in/a_b/x.jpg",
      ])
  }
}
