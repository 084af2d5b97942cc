import Foundation
import ImageBatch
import LoopbackServer
import Testing

@testable import imagemill

/// `--failed` without a report, and the command that a batch's last line offers.
@Suite("The last run", .timeLimit(.minutes(8)))
struct LastRunTests {
  private let command: CommandRun

  init() throws {
    command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    try command.write("a.png\nb.png\nc.png\n", to: "list.txt")
  }

  /// The command of the last line, as a shell runs it.
  private func continuation(_ outcome: CommandRun.Outcome) throws -> String {
    let line = try #require(outcome.errors.split(separator: "\n").last.map(String.init))
    let start = try #require(line.firstRange(of: ": imagemill "), "\(line)")
    return "'\(CommandRun.executable)' \(line[start.upperBound...])"
  }

  private func shell(_ line: String, input: String = "") async throws -> CommandRun.Outcome {
    try await command.run(["-c", line], input: Data(input.utf8), executable: "/bin/sh")
  }

  @Test("the printed command makes what failed, and nothing else, until nothing is left")
  func again() async throws {
    let first = try await command.run("run", "-o", "{name}-{index}.webp", "list.txt")
    #expect(first.status == 1)
    #expect(first.errors.contains("2 outputs failed: read: file-unreadable, such as: "), "\(first.errors)")
    try command.write(PNGImage.bytes(width: 9, height: 6), to: "b.png")
    let second = try await shell(continuation(first))
    #expect(second.status == 1, "\(second.errors)")
    #expect(second.errors.contains("jobs 2: 1 done, 1 failed"), "\(second.errors)")
    try command.write(PNGImage.bytes(width: 10, height: 6), to: "c.png")
    let third = try await shell(continuation(second))
    #expect(third.status == 0 && third.errors.contains("jobs 1: 1 done; "), "\(third.errors)")
    #expect(!third.errors.contains("imagemill run"))
    let fourth = try await command.run("run", "--failed", "-o", "{name}-{index}.webp", "list.txt")
    #expect(fourth.status == 0 && fourth.errors.contains("nothing to do; "), "\(fourth.errors)")
    #expect(command.files.filter { $0.hasSuffix(".webp") } == ["a-1.webp", "b-2.webp", "c-3.webp"])
  }

  @Test("an output whose overlay fails has its path in the report, and is made by the next run")
  func overlay() async throws {
    try command.write(
      """
      imagemill: 1
      jobs:
        - source: a.png
          outputs: [{output: x.webp}, {output: "{name}-y.webp", filter: "overlay:logo.png"}]
      """, to: "m.yaml")
    let first = try await command.run("run", "--report", "r.ndjson", "m.yaml")
    #expect(first.status == 1, "\(first.errors)")
    let report = String(decoding: command.read("r.ndjson") ?? Data(), as: UTF8.self)
    #expect(report.contains(#""output":"a-y.webp","status":"failed""#), "\(report)")
    try command.write(PNGImage.bytes(width: 3, height: 3), to: "logo.png")
    for report in [[], ["r.ndjson"]] {
      let again = try await command.run(arguments: ["run", "--failed"] + report + ["m.yaml"])
      #expect(again.status == 0 && again.errors.contains("outputs 2: "), "\(again.errors)")
      if report.isEmpty { #expect(command.read("a-y.webp") != nil) }
    }
  }

  @Test("a manifest whose name is that of a report isn't read as one, and a file may be named like an option")
  func names() async throws {
    try command.write("{\"source\": \"b.png\", \"output\": \"b.webp\"}\n", to: "--failed.ndjson")
    let first = try await command.run("run", "--failed", "--", "--failed.ndjson")
    #expect(first.status == 2 && first.errors.contains("no earlier run"), "\(first.errors)")
    let second = try await command.run("run", "--", "--failed.ndjson")
    #expect(second.status == 1 && second.errors.hasSuffix(" imagemill run --failed -- --failed.ndjson\n"))
    try command.write("{\"source\": \"b.png\", \"output\": \"b.webp\"}\n", to: "jobs.ndjson")
    let third = try await command.run("run", "jobs.ndjson")
    #expect(third.status == 1)
    try command.write(PNGImage.bytes(width: 9, height: 6), to: "b.png")
    let fourth = try await shell(continuation(third))
    #expect(fourth.status == 0 && fourth.errors.contains("jobs 1: 1 done; "), "\(fourth.errors)")
  }

  @Test("pipe repeats the failed lines of its input, in order too", arguments: [false, true])
  func pipe(ordered: Bool) async throws {
    let lines = "b.png\na.png\nc.png\n"
    let options = (ordered ? ["--ordered"] : []) + ["-o", "{name}.webp"]
    let first = try await command.run(["pipe"] + options, input: Data(lines.utf8))
    #expect(first.status == 1 && first.text == "a.webp\n")
    #expect(first.errors.contains("with the same input: imagemill pipe "), "\(first.errors)")
    for name in ["b.png", "c.png"] {
      try command.write(PNGImage.bytes(width: name == "b.png" ? 9 : 10, height: 6), to: name)
    }
    let second = try await shell(continuation(first), input: lines)
    #expect(second.status == 0, "\(second.errors)")
    #expect(second.lines.sorted() == ["b.webp", "c.webp"])
    if ordered { #expect(second.lines == ["b.webp", "c.webp"]) }
  }

  @Test("a report that pipe wrote selects the lines that failed in it")
  func report() async throws {
    let input = Data("b.png\na.png\n".utf8)
    #expect(
      try await command.run("pipe", "--no-cache", "--report", "r.ndjson", "-o", "{name}.webp", input: input)
        .status
        == 1)
    try command.write(PNGImage.bytes(width: 9, height: 6), to: "b.png")
    let outcome = try await command.run("pipe", "--failed", "r.ndjson", "-o", "{name}.webp", input: input)
    #expect(outcome.status == 0 && outcome.text == "b.webp\n", "\(outcome.errors)")
  }

  @Test("jobs whose source, filter or options were corrected since are still the ones that failed")
  func corrected() async throws {
    func manifest(_ source: String, _ output: String = "o/2.webp") throws {
      try command.write(
        "imagemill: 1\njobs:\n  - {source: a.png, output: o/1.webp}\n  - {source: \(source), output: \(output)}\n",
        to: "m.yaml")
    }
    for (source, options) in [("a.png", []), ("none.png", ["-f", "flip"])] {
      try manifest("none.png")
      let first = try await command.run("run", "m.yaml")
      #expect(first.status == 1)
      try manifest(source)
      let second = try await command.run(["run", "m.yaml", "--failed"] + options)
      #expect(second.status == (source == "a.png" ? 0 : 1))
      #expect(second.errors.contains("jobs 1: 1 "), "\(second.errors)")
    }
    let words = ["pipe", "-o", "{name}.webp"]
    #expect(try await command.run(words, input: Data("none.png\n".utf8)).status == 1)
    let piped = try await command.run(words + ["-f", "flip", "--failed"], input: Data("none.png\n".utf8))
    #expect(piped.status == 1 && piped.errors.contains("1 failed"), "\(piped.errors)")
  }

  @Test("a selection of failures that no job makes any more is no success, and is still known afterwards")
  func moved() async throws {
    func manifest(_ jobs: (String, String)...) throws {
      let lines = jobs.map { "  - {source: \($0.0), output: \($0.1)}\n" }
      try command.write("imagemill: 1\njobs:\n" + lines.joined(), to: "m.yaml")
    }
    try manifest(("a.png", "1.webp"), ("none.png", "2.webp"), ("none.png", "3.webp"))
    #expect(try await command.run("run", "m.yaml").status == 1)
    try manifest(("a.png", "1.webp"), ("a.png", "4.webp"))
    let none = try await command.run("run", "m.yaml", "--failed")
    #expect(
      none.status == 2
        && none.errors.contains("no job makes 2 failed outputs of the earlier run any more"), "\(none.errors)"
    )
    #expect(command.read("4.webp") == nil)
    try manifest(("a.png", "2.webp"), ("a.png", "4.webp"))
    let one = try await command.run("run", "m.yaml", "--failed")
    #expect(
      one.status == 0 && one.errors.contains("no job makes 1 failed output of the earlier run any more"))
    #expect(command.read("2.webp") != nil && command.read("4.webp") == nil)
    // Nothing failed in that run, which is no mistake.
    let again = try await command.run("run", "m.yaml", "--failed")
    #expect(again.status == 0 && again.errors.contains("no job failed in the earlier run"), "\(again.errors)")

    // A list is read while it runs.
    try command.write("a.png\nnone.png\n", to: "l.txt")
    let list = ["run", "-o", "l/{name}.webp", "l.txt"]
    #expect(try await command.run(list + ["--report", "l.ndjson"]).status == 1)
    try command.write("a.png\n", to: "l.txt")
    for _ in 0..<2 {
      let corrected = try await command.run(list + ["--failed"])
      #expect(
        corrected.status == 2
          && corrected.errors.contains("no line makes an output that failed in the earlier run"),
        "\(corrected.errors)")
    }
    // A shard may have none of the failures.
    for number in 1...2 {
      let shard = try await command.run(list + ["--failed=l.ndjson", "--shard", "\(number)/2"])
      #expect(shard.status == 0, "\(shard.errors)")
    }
    #expect(try await command.run(list).status == 0)
    let nothing = try await command.run(list + ["--failed"])
    #expect(
      nothing.status == 0 && nothing.errors.contains("no job failed in the earlier run"), "\(nothing.errors)")

    let (words, lines) = (["pipe", "-o", "{name}.webp"], Data("none.png\n".utf8))
    #expect(try await command.run(words, input: lines).status == 1)
    let other = try await command.run(words + ["--failed"], input: Data("a.png\n".utf8))
    #expect(
      other.status == 2 && other.errors.contains("no line makes an output that failed in the earlier run"),
      "\(other.errors)")
    #expect(try await command.run(words + ["--failed"], input: lines).status == 1)
  }

  @Test("each list and each command has a last run of its own")
  func own() async throws {
    try command.write("none.png\n", to: "other.txt")
    try await command.run("run", "-o", "{name}.webp", "list.txt")
    let unknown = try await command.run("run", "--failed", "-o", "{name}.webp", "other.txt")
    #expect(unknown.status == 2 && unknown.errors.contains("no earlier run"), "\(unknown.errors)")
    #expect(try await command.run("pipe", "--failed", "-o", "{name}.webp").status == 2)
    let known = try await command.run("run", "--failed", "-o", "{name}.webp", "./list.txt")
    #expect(known.errors.contains("jobs 2: 2 failed"), "\(known.errors)")
  }

  @Test("an emptied cache knows no last run, and an old one is forgotten when the cache is purged")
  func cleared() async throws {
    let failed = ["run", "--failed", "-o", "{name}.webp", "list.txt"]
    for (command, words, status) in [
      (command, ["cache", "purge", "--to", "0"], 1 as Int32), (command, ["cache", "clear"], 2),
    ] {
      try await command.run("run", "-o", "{name}.webp", "list.txt")
      #expect(try await command.run(words).status == 0)
      #expect(try await command.run(failed).status == status, "\(words)")
    }
    try await command.run("run", "-o", "{name}.webp", "list.txt")
    let records = command.directory + "/cache/last"
    for name in try FileManager.default.contentsOfDirectory(atPath: records) {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -31 * 86400)], ofItemAtPath: records + "/" + name)
    }
    #expect(try await command.run("cache", "purge").status == 0)
    #expect(try await command.run(failed).status == 2)
  }

  @Test("without a cache, an .ndjson report is offered, and without one nothing")
  func withoutCache() async throws {
    let first = try await command.run(
      "run", "--no-cache", "--report", "r.ndjson", "-o", "{name}.webp", "list.txt")
    #expect(try continuation(first).hasSuffix(" list.txt --failed=r.ndjson"))
    let plain = try await command.run("run", "--no-cache", "-o", "{name}.webp", "list.txt")
    #expect(plain.errors.hasSuffix(" s\n"), "\(plain.errors)")
    #expect(
      try await command.run("run", "--failed", "--no-cache", "-o", "{name}.webp", "list.txt").status == 2)
  }

  @Test("jobs that were not started are made by the same command, without the limit that stopped it")
  func stopped() async throws {
    let outcome = try await command.run("run", "--fail-fast", "-j", "1", "-o", "{name}.webp", "list.txt")
    #expect(outcome.status == 1)
    if outcome.errors.contains("not started") {
      #expect(outcome.errors.contains("to make the rest, run without --fail-fast: "), "\(outcome.errors)")
      #expect(try continuation(outcome).hasSuffix("run -j 1 -o '{name}.webp' list.txt"))
    }
  }

  @Test("a limit of failures is left out of the command that makes the rest, but not after a signal")
  func limits() {
    var summary = BatchSummary()
    summary.jobsNotStarted = 3
    var continuation = Continuation()
    continuation.arguments = ["run", "--max-failures", "2", "-j", "1", "--fail-fast", "--", "--fail-fast"]
    #expect(
      continuation.line(summary)
        == "to make the rest, run again: imagemill run --max-failures 2 -j 1 --fail-fast -- --fail-fast")
    summary.outputsFailed = 2
    #expect(
      continuation.line(summary) == "to make the rest, run without --max-failures and --fail-fast: "
        + "imagemill run -j 1 -- --fail-fast")
    continuation.arguments = ["pipe", "--max-failures=2", "-o", "{name}.webp"]
    continuation.readsInput = true
    #expect(
      continuation.line(summary) == "to make the rest, run without --max-failures with the same input: "
        + "imagemill pipe -o '{name}.webp'")
  }

  @Test("no secret is printed, and words are quoted as the shell wants them")
  func words() {
    let line = Continuation.commandLine([
      "run", "-u", "ada:sesame", "-H", "Cookie: sesame", "--user=ada:sesame", "-Hsesame", "--proxy",
      "http://ada:sesame@p.example", "https://ada:sesame@example.com/a.jpg?token=sesame", "it's", "", "-o",
      "{name}.webp", "logo=https://ada:sesame@example.com/b.png?token=sesame", "-qu", "ada:sesame",
      "--remote-cache-header", "Authorization: Bearer sesame", "--remote-cache-header=X: sesame",
      "-nvHsesame",
      "-0uada:sesame", "-H",
    ])
    #expect(!line.contains("sesame"), "\(line)")
    #expect(line.hasPrefix("imagemill run -u … -H … --user=… -H… --proxy … "), "\(line)")
    #expect(line.contains(" 'it'\\''s' '' -o '{name}.webp' "), "\(line)")
    #expect(line.hasSuffix(" -qu … --remote-cache-header … --remote-cache-header=… -nvH… -0u… -H"), "\(line)")
  }

  @Test("a word that a terminal would act on is shown escaped, and bash reads it back")
  func hostileWords() async throws {
    let word = "it's \u{1B}]0;x\u{7}\\\u{202E}é.png"
    let quoted = ShellWord.quoted(word)
    #expect(quoted == #"$'it\'s \033]0;x\007\\\342\200\256é.png'"#)
    let outcome = try await command.run(["-c", "printf %s \(quoted)"], executable: "/bin/bash")
    #expect(outcome.text == word)
  }

  @Test("nothing is offered for lines that are no jobs: they fail again")
  func records() async throws {
    let input = Data("ftp://example.com/a.png\na.png\n".utf8)
    let outcome = try await command.run("pipe", "-o", "{name}.webp", input: input)
    #expect(outcome.status == 1 && outcome.errors.hasSuffix(" s\n"), "\(outcome.errors)")
  }

  @Test("the printed command doesn't replace the files that describe the whole run by a part of it")
  func wholeFiles() async throws {
    var summary = BatchSummary()
    summary.outputsFailed = 1
    var continuation = Continuation()
    continuation.report = "r.ndjson"
    for (words, expected) in [
      (["run", "--lock", "a.lock", "--report=r.ndjson", "m.yaml"], "run m.yaml --failed=r.ndjson"),
      (["run", "--lock", "a.lock", "--frozen"], "run --lock a.lock --frozen --failed=r.ndjson"),
      (
        ["run", "--report", "r.html", "--compare", "r.json", "-q", "--emit", "json=e.json"],
        "run -q --failed=r.ndjson"
      ),
      (
        ["run", "--report", "-", "--emit=json=-", "--emit", "srcset=-"],
        "run --report - --emit=json=- --emit srcset=- --failed=r.ndjson"
      ),
      (["run", "--events", "e", "--", "--lock"], "run --events e --failed=r.ndjson -- --lock"),
    ] {
      continuation.arguments = words
      #expect(continuation.line(summary) == "to retry what failed, run: imagemill \(expected)")
    }
    // The report that selected the jobs has those that failed again.
    continuation.report = nil
    for words in [["run", "m.yaml", "--failed=r.ndjson"], ["run", "--failed", "r.ndjson", "m.yaml"]] {
      continuation.arguments = words
      #expect(
        continuation.line(summary) == "to retry what failed, run: imagemill run m.yaml --failed=r.ndjson")
    }

    try command.write(
      "imagemill: 1\njobs:\n  - {source: ./a.png, output: a.webp}\n  - {source: ./b.png, output: b.webp}\n",
      to: "m.yaml")
    let first = try await command.run(
      "run", "m.yaml", "--lock", "m.lock", "--report", "r.ndjson", "--emit", "json=e.json")
    #expect(first.status == 1)
    let files = ["m.lock", "r.ndjson", "e.json"].map { command.read($0) }
    try command.write(PNGImage.bytes(width: 9, height: 6), to: "b.png")
    let second = try await shell(self.continuation(first))
    #expect(second.status == 0 && second.errors.contains("jobs 1: 1 done"), "\(second.errors)")
    #expect(["m.lock", "r.ndjson", "e.json"].map { command.read($0) } == files)
    #expect(try await command.run("run", "m.yaml", "--lock", "m.lock").status == 0)
    #expect(try await command.run("run", "m.yaml", "--check", "--lock", "m.lock").status == 0)
  }
}
