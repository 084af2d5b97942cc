import Foundation
import LoopbackServer
import Testing

@Suite("An output behind a link that leads outside", .timeLimit(.minutes(8)))
struct LinkedPlaceTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    for name in ["a", "b"] { try command.write(PNGImage.bytes(width: 4, height: 3), to: name + ".png") }
    try command.write("source\na.png\nb.png\n", to: "t.csv")
    let elsewhere = command.directory + "/elsewhere"
    try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: command.work + "/out", withDestinationPath: elsewhere)
  }

  @Test(
    "is refused by 'validate' as by 'plan'",
    arguments: ["{source: a.png, output: out/x.jpg}", "{from: t.csv, output: 'out/{name}.jpg'}"])
  func refused(job: String) async throws {
    try command.write("imagemill: 1\njobs:\n  - \(job)\n", to: "m.yaml")
    var said: [String] = []
    for word in ["plan", "validate"] {
      let outcome = try await command.run(word, "m.yaml")
      #expect(outcome.status == 2, "\(word): \(outcome.errors)")
      said.append(outcome.errors)
      let allowed = try await command.run(word, "--allow-outside", "m.yaml")
      #expect(allowed.status == 0, "\(word): \(allowed.errors)")
    }
    #expect(said[0].contains("a link leads to"), "\(said)")
    #expect(said[0].split(separator: "\n").first == said[1].split(separator: "\n").first, "\(said)")
  }

  @Test("is refused among the lines of a list")
  func lines() async throws {
    try command.write("{\"source\": \"a.png\", \"output\": \"out/x.jpg\"}\n", to: "l.ndjson")
    let outcome = try await command.run("validate", "l.ndjson")
    #expect(outcome.status == 2 && outcome.errors.contains("a link leads to"), "\(outcome.errors)")
  }
}
