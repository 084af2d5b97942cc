import Foundation
import LoopbackServer
import Synchronization
import Testing

/// What `--check`, `--dry-run` and `plan` say, and whether a run agrees.
@Suite("Checks", .timeLimit(.minutes(8)))
struct CheckTests {
  private let command: CommandRun
  private let server: LoopbackServer
  private let state = State()
  private let net = ["--allow-net", "loopback"]

  /// What the origin has.
  private final class State: Sendable {
    let seed = Mutex(1)
    let caching = Mutex("max-age=0")
    let hasValidators = Mutex(true)
  }

  init() throws {
    command = try CommandRun()
    let state = state
    server = try LoopbackServer { request in
      let seed = state.seed.withLock(\.self)
      let tag = "\"\(seed)\""
      var fields = [("Cache-Control", state.caching.withLock(\.self))]
      if state.hasValidators.withLock(\.self) {
        fields.append(("ETag", tag))
        if request.field("If-None-Match") == tag {
          return Page([], type: "image/png", status: 304, fields: fields)
        }
      }
      return Page(PNGImage.bytes(width: 30, height: 20, seed: seed), type: "image/png", fields: fields)
    }
    let jobs = (0..<3).map { "  - {source: \"\(server.url("/\($0).png"))\", output: \"o/\($0).png\"}\n" }
    try command.write("imagemill: 1\njobs:\n" + jobs.joined(), to: "m.yaml")
  }

  private func run(_ options: String..., cache: Bool = true) async throws -> CommandRun.Outcome {
    try await command.run(
      ["run"] + net + options + ["m.yaml"],
      environment: cache ? [:] : ["IMAGEMILL_CACHE_DIR": command.directory + "/other-\(UUID().uuidString)"])
  }

  @Test(
    "plan counts the revalidations that a run makes, however the sources are to be cached",
    arguments: ["max-age=0", "no-cache", "", "max-age=3600"])
  func revalidations(_ caching: String) async throws {
    state.caching.withLock { $0 = caching }
    #expect(try await run().status == 0)
    let plan = try await command.run(["plan", "--json"] + net + ["m.yaml"])
    let json = try #require(try JSONSerialization.jsonObject(with: plan.output) as? [String: Any])
    let totals = try #require(json["totals"] as? [String: Any])
    let before = server.requests.count
    #expect(try await run().status == 0)
    #expect(totals["revalidations"] as? Int == server.requests.count - before, "\(plan.text)")
    #expect(totals["isExact"] as? Bool == (server.requests.count == before))
  }

  @Test("offline a check says what it can't know; with --refresh a changed origin is status 3")
  func refresh() async throws {
    #expect(try await run().status == 0)
    let before = server.requests.count
    let offline = try await run("--check")
    #expect(offline.status == 0)
    #expect(offline.errors.contains("3 cached sources are stale"), "\(offline.errors)")
    #expect(server.requests.count == before)
    let asked = try await run("--check", "--refresh")
    #expect(asked.status == 0 && !asked.errors.contains("--refresh"), "\(asked.errors)")
    #expect(server.requests.count == before + 3)
    state.seed.withLock { $0 = 2 }
    #expect(try await run("--check").status == 0)
    let files = command.read("o/0.png")
    let changed = try await run("--check", "--refresh")
    #expect(changed.status == 3)
    #expect(changed.errors.contains("o/0.png"), "\(changed.errors)")
    #expect(command.read("o/0.png") == files, "a check writes nothing")
  }

  @Test("a check against a lock needs no cache, renders nothing, and downloads nothing that has validators")
  func lock() async throws {
    try command.write(
      "imagemill: 1\njobs:\n  - {source: \"\(server.url("/a.png"))\", output: o/a.png}\n"
        + "  - {source: ./local.png, filter: \"overlay:./logo.png\", output: \"o/{hash}.png\"}\n",
      to: "m.yaml")
    for (name, seed) in [("local", 5), ("logo", 6)] {
      try command.write(PNGImage.bytes(width: 20, height: 20, seed: seed), to: name + ".png")
    }
    #expect(try await run("--lock", "m.lock").status == 0)
    let before = server.requests.count
    let checked = try await run("--check", "--lock", "m.lock", cache: false)
    #expect(checked.status == 0, "\(checked.errors)")
    #expect(server.requests.dropFirst(before).map { $0.field("If-None-Match") } == ["\"1\""])

    let outputs = command.files.filter { $0.hasPrefix("o/") }
    #expect(outputs.count == 2)
    // One byte of anything.
    for name in outputs + ["local.png", "logo.png", "m.yaml"] {
      let original = try #require(command.read(name))
      var bytes = Array(original)
      if name == "m.yaml" { bytes.append(10) } else { bytes[bytes.count / 2] ^= 1 }
      try command.write(bytes, to: name)
      let changed = try await run("--check", "--lock", "m.lock", cache: false)
      #expect(changed.status == 3, "\(name): \(changed.errors)")
      #expect(changed.errors.contains(name), "\(name): \(changed.errors)")
      try command.write(Array(original), to: name)
    }
    let other = try await run("--check", "--lock", "m.lock", "-f", "flip", cache: false)
    #expect(other.status == 3, "what is asked for has changed")
    state.seed.withLock { $0 = 2 }
    let changed = try await run("--check", "--lock", "m.lock", cache: false)
    #expect(changed.status == 3 && changed.errors.contains("/a.png: the source has changed"))
    state.seed.withLock { $0 = 1 }
    #expect(try await run("--check", "--lock", "m.lock", cache: false).status == 0)
  }

  @Test("a source without validators is downloaded and its digest compared")
  func withoutValidators() async throws {
    state.hasValidators.withLock { $0 = false }
    #expect(try await run("--lock", "m.lock").status == 0)
    #expect(try await run("--check", "--lock", "m.lock", cache: false).status == 0)
    state.seed.withLock { $0 = 2 }
    #expect(try await run("--check", "--lock", "m.lock", cache: false).status == 3)
  }

  @Test("a lock is the same wherever the repository is cloned, and whichever directory the command runs in")
  func clones() async throws {
    #expect(try await run("--lock", "m.lock").status == 0)
    let clone = try CommandRun()
    for name in ["m.yaml", "m.lock"] { try clone.write(Array(try #require(command.read(name))), to: name) }
    try FileManager.default.copyItem(atPath: command.work + "/o", toPath: clone.work + "/o")
    #expect(try await clone.run(["run", "--check", "--lock", "m.lock"] + net + ["m.yaml"]).status == 0)
    let above = clone.process(
      ["run", "--check", "--lock", "work/m.lock"] + net + ["work/m.yaml"])
    above.currentDirectoryURL = URL(fileURLWithPath: clone.directory)
    try above.run()
    await above.ended()
    #expect(above.terminationStatus == 0)
  }

  @Test("what can't be checked is no difference: the status is that of a run which fails in the same way")
  func unreachable() async throws {
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    func write(_ remote: String, _ local: String = "a.png") throws {
      try command.write(
        "imagemill: 1\njobs:\n  - {source: \"\(remote)\", output: o/r.png}\n  - {source: ./\(local), output: o/a.webp}\n",
        to: "m.yaml")
    }
    try write(server.url("/0.png"))
    #expect(try await run("--lock", "m.lock").status == 0)
    let forbidden = try await command.run("run", "--check", "--lock", "m.lock", "m.yaml")
    #expect(
      forbidden.status == 1 && forbidden.errors.contains("can't check it: ")
        && forbidden.errors.contains("; --allow-net loopback allows it"), "\(forbidden.errors)")
    #expect(try await command.run("run", "--check", "--refresh", "m.yaml").status == 1)
    server.stop()
    for options in [["--refresh"], ["--lock", "m.lock"]] {
      let down = try await command.run(["run", "--check", "--retries", "0"] + net + options + ["m.yaml"])
      #expect(down.status == 75, "\(options): \(down.errors)")
      #expect(
        down.errors.contains("can't check it: ") && !down.errors.contains("out of date"), "\(down.errors)")
      // Anything that differs counts more.
      let output = try #require(command.read("o/a.webp"))
      try FileManager.default.removeItem(atPath: command.work + "/o/a.webp")
      let both = try await command.run(["run", "--check", "--retries", "0"] + net + options + ["m.yaml"])
      #expect(both.status == 3 && both.errors.contains("can't check it: "), "\(options): \(both.errors)")
      try command.write(Array(output), to: "o/a.webp")
    }
    // A run fails with the same status.
    #expect(try await run("--refresh", "--retries", "0").status == 75)
    try FileManager.default.removeItem(atPath: command.work + "/a.png")
    let gone = try await run("--check")
    #expect(gone.status == 1 && gone.errors.contains("o/a.webp: can't check it: "), "\(gone.errors)")
    #expect(try await run("--check", "--refresh", "--retries", "0").status == 1)
    #expect(try await run("--check", "--lock", "m.lock", "--retries", "0").status == 1)
  }

  @Test(
    "a check refuses files that only a run writes",
    arguments: [
      ["--report", "r.xml"], ["--report=-"], ["--emit", "json=e.json"], ["--metrics", "m.prom"],
      ["--events", "e.ndjson"],
    ])
  func files(options: [String]) async throws {
    let name = String(options[0].prefix { $0 != "=" })
    for mode in [["--check"], ["--check", "--lock", "m.lock"]] {
      let outcome = try await command.run(["run"] + mode + options + ["m.yaml"])
      #expect(
        outcome.status == 2 && outcome.errors.contains("leave out \(name)"), "\(mode): \(outcome.errors)")
    }
    #expect(command.files == ["m.yaml"])
    // A setting is for runs.
    let set = try await command.run(
      ["run", "--check"] + net + ["m.yaml"],
      environment: ["IMAGEMILL_REPORT": "r.xml", "IMAGEMILL_EVENTS": "e"])
    #expect(set.status == 3 && command.files == ["m.yaml"], "\(set.errors)")
  }

  @Test("options that need what earlier runs have left are refused where there is nothing of them")
  func withoutRecords() async throws {
    for (options, words) in [
      (["--no-cache", "--prune"], "--prune finds the files of earlier runs in the cache"),
      (["--no-cache", "--no-clobber"], "would keep every existing file"),
      (["--check", "--lock", "m.lock", "--prune"], "leave out --prune or --lock"),
    ] {
      let outcome = try await command.run(["run"] + net + options + ["m.yaml"])
      #expect(outcome.status == 2 && outcome.errors.contains(words), "\(outcome.errors)")
    }
    #expect(server.requests.isEmpty && command.files == ["m.yaml"])
  }
}
