import Foundation
import LoopbackServer
import Testing

/// One mistake doesn't hide another, in whichever jobs they are.
@Suite("Pairs of mistakes", .timeLimit(.minutes(8)))
struct MistakePairTests {
  struct Mistake: Sendable, CustomTestStringConvertible {
    let said: String
    /// Jobs without their braces.
    let jobs: [String]
    var testDescription: String { said }
  }

  private static let mistakes = [
    Mistake(said: "'quality' must be 1…100, not '900'", jobs: ["source: a.png, output: q.jpg, quality: 900"]),
    Mistake(
      said: "two outputs have the path 'x.png'",
      jobs: ["source: a.png, output: x.png", "source: b.png, output: x.png"]),
    Mistake(said: "the output 'b.png' would replace a source", jobs: ["source: b.png, output: b.png"]),
    Mistake(
      said: "these jobs need each other's outputs",
      jobs: ["source: r.png, output: s.png", "source: s.png, output: r.png"]),
    Mistake(said: "unknown filter 'nope'", jobs: ["source: a.png, output: n.png, filter: nope"]),
    Mistake(said: "unknown key 'wrong'", jobs: ["source: a.png, output: w.png, wrong: 1"]),
    Mistake(
      said: "'kind' must be",
      jobs: ["source: a.png, output: t.gif, transition: {from: b.png, kind: spin, foo: 1}"]),
    Mistake(
      said: "unknown key 'foo' in 'transition'",
      jobs: ["source: a.png, output: t2.gif, transition: {from: b.png, kind: spin, foo: 1}"]),
    Mistake(said: "unknown field '{size}'", jobs: ["source: a.png, output: 'f-{size}.png'"]),
    Mistake(said: "nothing matches 'none/*.png'", jobs: ["from: 'none/*.png', output: 'none-{name}.png'"]),
    Mistake(said: "scheme 'ftp'", jobs: ["source: 'ftp://example.com/a.png', output: y.png"]),
    Mistake(
      said: "can't be written: 'z' is the output",
      jobs: ["source: a.png, output: z, format: png", "source: a.png, output: z/y.png"]),
  ]

  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    for name in ["a", "b"] { try command.write(PNGImage.bytes(width: 4, height: 3), to: name + ".png") }
  }

  private func said(_ jobs: [String], _ head: String = "") async throws -> String {
    try command.write(
      "imagemill: 1\n\(head)\njobs:\n" + jobs.map { "  - {\($0)}\n" }.joined(), to: "m.yaml")
    let outcome = try await command.run("validate", "m.yaml")
    #expect(outcome.status == 2, "\(outcome.errors)")
    return outcome.errors
  }

  @Test("in jobs of one manifest are all reported", arguments: mistakes.indices)
  func pairs(first: Int) async throws {
    for other in Self.mistakes.dropFirst(first) {
      for pair in [[Self.mistakes[first], other], [other, Self.mistakes[first]]] {
        let errors = try await said(pair.flatMap(\.jobs))
        for mistake in pair { #expect(errors.contains(mistake.said), "\(pair): \(errors)") }
        // A run finds circles and replaced sources by themselves only in a manifest without other mistakes.
        let run = try await command.run("run", "m.yaml")
        #expect(run.status == 2)
        let late = ["these jobs need each other's outputs", "the output 'b.png' would replace a source"]
        guard !pair.allSatisfy({ late.contains($0.said) }) else { continue }
        for mistake in pair { #expect(run.errors.contains(mistake.said), "\(pair): \(run.errors)") }
      }
    }
  }

  @Test("in one job, and in the defaults, are all reported", arguments: mistakes)
  func own(mistake: Mistake) async throws {
    let wrong = ["priority: x", "sha256: abc", "placeholder: 'gopher://example.com'"]
    for key in wrong {
      for position in mistake.jobs.indices {
        var jobs = mistake.jobs
        jobs[position] += ", " + key
        let errors = try await said(jobs)
        let name = key.prefix { $0 != ":" }
        #expect(errors.contains(mistake.said), "\(key): \(errors)")
        #expect(errors.contains(name == "placeholder" ? "'gopher'" : "'\(name)'"), "\(key): \(errors)")
      }
    }
    for defaults in ["quality: 800", "filter: nope2", "priority: y"] {
      let errors = try await said(mistake.jobs, "defaults: {\(defaults)}")
      #expect(errors.contains(mistake.said), "\(defaults): \(errors)")
      #expect(errors.contains("m.yaml:2:"), "\(defaults): \(errors)")
    }
  }

  @Test("of the same kind are all reported, circles too")
  func same() async throws {
    let circles = (0..<3).flatMap {
      ["source: r\($0).png, output: s\($0).png", "source: s\($0).png, output: r\($0).png"]
    }
    for verb in ["validate", "run", "plan"] {
      _ = try await said(circles)
      let outcome = try await command.run(verb, "m.yaml")
      #expect(
        outcome.status == 2 && outcome.errors.split(separator: "these jobs need").count == 4,
        "\(outcome.errors)")
    }
    // Through the rows of a table.
    try command.write(Array("source,name\nr.png,s\ns.png,r\n".utf8), to: "t.csv")
    let errors = try await said(["from: t.csv, output: '{name}.png'"])
    #expect(errors.contains("these jobs need each other's outputs"), "\(errors)")
  }

  @Test("are none in equal jobs whose other values are wrong")
  func equal() async throws {
    let job = "source: a.png, output: x.png, priority: x"
    let errors = try await said([job, job])
    #expect(!errors.contains("two outputs"), "\(errors)")
  }
}
