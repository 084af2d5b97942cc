import Foundation
import LoopbackServer
import Testing

/// What GitHub's runner is told of, besides failed jobs.
@Suite("Annotations of manifests and checks", .timeLimit(.minutes(8)))
struct AnnotationTests {
  private static let runner = ["GITHUB_ACTIONS": "true"]

  @Test(
    "every mistake in a manifest is annotated at its line, by every command that reads one",
    arguments: ["run", "validate", "plan", "run --check"])
  func mistakes(line: String) async throws {
    let command = try CommandRun()
    try command.write(
      "imagemill: 1\njobs:\n  - {souce: a.png, output: b.webp}\n  - {source: a.png, output: c.webp, filter: fil}\n",
      to: "m.yaml")
    let words = line.split(separator: " ").map(String.init) + ["m.yaml"]
    let outcome = try await command.run(arguments: words, environment: Self.runner)
    #expect(outcome.status == 2)
    for place in ["file=m.yaml,line=3,col=6,", "file=m.yaml,line=4,col=45,"] {
      #expect(outcome.errors.contains("::error \(place)"), "\(outcome.errors)")
    }
    #expect(outcome.output.isEmpty)
    let plain = try await command.run(arguments: words)
    #expect(!plain.errors.contains("::error"))
  }

  @Test("wrong records of a list are annotated by validate")
  func records() async throws {
    let command = try CommandRun()
    try command.write("a.png\ngopher://bucket/b.png\n", to: "list.txt")
    let outcome = try await command.run(
      "validate", "-o", "{name}.webp", "list.txt", environment: Self.runner)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("::error file=list.txt,line=2,"), "\(outcome.errors)")
  }

  @Test("what a check finds is annotated, at the job's line, even with --quiet")
  func check() async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    try command.write("imagemill: 1\njobs:\n  - {source: ./a.png, output: b.webp}\n", to: "m.yaml")
    for options in [[], ["--quiet"]] {
      let outcome = try await command.run(
        arguments: ["run", "--check"] + options + ["m.yaml"], environment: Self.runner)
      #expect(outcome.status == 3)
      #expect(
        outcome.errors.contains("::error file=m.yaml,line=3,col=5,title=imagemill::b.webp: out of date"))
    }
    #expect(try await command.run("run", "-q", "m.yaml").status == 0)
    let done = try await command.run("run", "--check", "m.yaml", environment: Self.runner)
    #expect(done.status == 0 && done.errors.isEmpty, "\(done.errors)")
  }
}
