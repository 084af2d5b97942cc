import Foundation
import LoopbackServer
import Testing

/// Mistakes that are found after a manifest has been read.
@Suite("A mistake that is found after reading", .timeLimit(.minutes(8)))
struct LateMistakeTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    for name in ["a", "b"] {
      try command.write(PNGImage.bytes(width: 8, height: 6, seed: name.count), to: name + ".png")
    }
  }

  private func manifest(_ jobs: String...) throws {
    try command.write("imagemill: 1\njobs:\n" + jobs.map { "  - \($0)\n" }.joined(), to: "m.yaml")
  }

  @Test("shows the line of an output over a source", arguments: ["run", "plan"])
  func overwrite(word: String) async throws {
    try manifest("{source: a.png, output: b.png}", "{source: b.png, output: c.png}")
    let outcome = try await command.run(word, "m.yaml")
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.hasPrefix("m.yaml:3:5: error: the output 'b.png' would replace a source")
        && outcome.errors.hasSuffix("\n  - {source: a.png, output: b.png}\n    ^\n"),
      "\(outcome.errors)")
  }

  @Test("shows the line of a circle, and none that may hold a secret", arguments: ["run", "validate"])
  func circle(word: String) async throws {
    try manifest("{source: a.png, output: b.png}", "{source: b.png, output: a.png}")
    let outcome = try await command.run(word, "m.yaml")
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasSuffix("\n  - {source: a.png, output: b.png}\n    ^\n"), "\(outcome.errors)")
    try manifest("{source: token.png, output: b.png}", "{source: b.png, output: token.png}")
    let hidden = try await command.run(word, "m.yaml")
    #expect(hidden.status == 2 && hidden.errors.split(separator: "\n").count == 1, "\(hidden.errors)")
  }

  @Test("shows the line of a list's output over another line's source, and reads no pipe twice")
  func lists() async throws {
    try command.write("a.png\nb.png\n", to: "list.txt")
    let outcome = try await command.run("run", "-o", "{name}.png", "list.txt")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("list.txt:1:1: error: ") && outcome.errors.contains("\na.png\n^\n"))
    let text = "imagemill: 1\njobs:\n  - {source: a.png, output: b.png}\n  - {source: b.png, output: a.png}\n"
    try command.write(text, to: "text")
    let piped = try await command.run(
      ["-c", "'\(CommandRun.executable)' validate <(cat text)"], executable: "/bin/bash")
    #expect(piped.status == 2 && piped.errors.contains("need each other's outputs"), "\(piped.errors)")
  }

  @Test("has its file in a workflow's annotation, also without a line")
  func annotations() async throws {
    let workflow = ["GITHUB_ACTIONS": "true"]
    let missing = try await command.run("run", "none.yaml", environment: workflow)
    #expect(missing.errors.contains("\n::error file=none.yaml,title=imagemill::none.yaml: can't be opened"))
    try manifest("{source: a.png, output: c.png}")
    #expect(try await command.run("run", "--lock", "m.lock", "m.yaml").status == 0)
    try manifest("{source: a.png, output: c.png} # Changed.")
    let changed = try await command.run("run", "--check", "--lock", "m.lock", "m.yaml", environment: workflow)
    #expect(changed.status == 3)
    #expect(
      changed.errors == """
        m.yaml: the manifest has changed since it was locked
        ::error file=m.yaml,title=imagemill::m.yaml: the manifest has changed since it was locked

        """)
  }

  @Test("is planned with the output's path")
  func plan() async throws {
    try manifest("{source: a.png, filter: \"overlay:none.png\", output: c.png}")
    let outcome = try await command.run("plan", "m.yaml")
    #expect(
      outcome.text.hasPrefix("refuse      c.png  (a.png: there is no file 'none.png')\n"), "\(outcome.text)")
  }

  @Test("of a value's type is the only one of this value")
  func types() async throws {
    try manifest("{source: a.png, output: c.png, profile: 3}")
    let outcome = try await command.run("validate", "m.yaml")
    #expect(outcome.status == 2)
    #expect(outcome.errors.split(separator: "\n").count { $0.contains("error: ") } == 1, "\(outcome.errors)")
  }
}

/// The end of a conversion of several sources.
@Suite("The end of a conversion of several sources", .timeLimit(.minutes(8)))
struct SeveralConversionsTests {
  @Test("says what failed if anything did, and nothing otherwise")
  func summary() async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    let failing = try await command.run("convert", "-o", "{name}.webp", "a.png", "b.png", "c.png")
    #expect(failing.status == 1)
    #expect(
      failing.errors.contains(
        "\n2 outputs failed: read: file-unreadable, such as: there is no file 'b.png'\n"))
    #expect(
      failing.errors.contains("\njobs 3: 1 done, 2 failed; outputs 3: 1 written, 2 failed; "),
      "\(failing.errors)")
    let quiet = try await command.run("convert", "-q", "-o", "{name}.webp", "a.png", "b.png", "c.png")
    #expect(quiet.status == 1 && quiet.errors.split(separator: "\n").count == 2, "\(quiet.errors)")
    let good = try await command.run("convert", "-o", "{name}.webp", "a.png")
    #expect(good.status == 0 && good.errors.isEmpty, "\(good.errors)")
  }

  @Test("a directory as the source of one output is a mistake, with the command for its images")
  func directory() async throws {
    let command = try CommandRun()
    try FileManager.default.createDirectory(
      atPath: command.work + "/my photos", withIntermediateDirectories: true)
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "my photos/a.png")
    let refused = try await command.run("convert", "my photos", "a.webp")
    #expect(refused.status == 2)
    let remedy = "imagemill convert 'my photos' -o '{dir}/{name}.webp'"
    #expect(refused.errors.contains(remedy), "\(refused.errors)")
    let followed = try await command.run(
      ["-c", "imagemill() { '\(CommandRun.executable)' \"$@\"; }; \(remedy)"], executable: "/bin/sh")
    #expect(followed.status == 0, "\(followed.errors)")
    #expect(command.files.contains { $0.hasSuffix("a.webp") })
  }
}
