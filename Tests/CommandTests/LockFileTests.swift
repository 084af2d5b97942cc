import Foundation
import LoopbackServer
import Synchronization
import Testing

@Suite("the lock file", .timeLimit(.minutes(8)))
struct LockFileTests {
  @Test(
    "says what every source was; --frozen refuses other bytes with a diff and status 3; --offline works from it"
  )
  func lock() async throws {
    let command = try CommandRun()
    let seed = Mutex(1)
    let server = try LoopbackServer { _ in
      let seed = seed.withLock(\.self)
      return Page(
        PNGImage.bytes(width: 30, height: 20, seed: seed), type: "image/png",
        fields: [("ETag", "\"\(seed)\"")])
    }
    try command.write(
      "imagemill: 1\njobs:\n  - {source: \"\(server.url("/b.png"))\", output: b.png}\n"
        + "  - {source: \"\(server.url("/a.png"))\", output: a.png}\n", to: "m.yaml")
    func run(_ options: String...) async throws -> CommandRun.Outcome {
      try await command.run(["run", "--allow-net", "loopback", "--lock", "m.lock"] + options + ["m.yaml"])
    }
    #expect(try await run().status == 0)
    let first = try #require(command.read("m.lock"))
    let json = try #require(try JSONSerialization.jsonObject(with: first) as? [String: Any])
    let sources = try #require(json["sources"] as? [String: [String: Any]])
    #expect(sources.count == 2)
    let entry = try #require(sources[server.url("/a.png")])
    #expect(entry["etag"] as? String == "\"1\"")
    #expect(entry["final-url"] as? String == server.url("/a.png"))
    #expect(entry["format"] as? String == "png" && entry["type"] as? String == "image/png")
    #expect(entry["width"] as? Int == 30 && entry["height"] as? Int == 20)
    #expect(entry["bytes"] as? Int == PNGImage.bytes(width: 30, height: 20, seed: 1).count)
    let text = String(decoding: first, as: UTF8.self)
    let places = ["/a.png\" :", "/b.png\" :"].compactMap { text.range(of: $0)?.lowerBound }
    #expect(places.count == 2 && places[0] < places[1], "sorted")
    #expect(try await run("--refresh").status == 0)
    #expect(command.read("m.lock") == first, "stable")

    seed.withLock { $0 = 2 }
    let sha256 = try #require(entry["sha256"] as? String)
    let refused = try await run("--frozen", "--refresh")
    #expect(refused.status == 3)
    #expect(
      refused.errors.contains("@@ \(server.url("/a.png")) @@\n-sha256 \(sha256)\n+sha256 "),
      "\(refused.errors)")
    #expect(command.read("m.lock") == first, "a frozen run writes no lock")
    // Nothing of the refused bytes was stored: what was locked is still at hand.
    server.stop()
    try FileManager.default.removeItem(atPath: command.work + "/a.png")
    let offline = try await run("--frozen", "--offline")
    #expect(offline.status == 0, "\(offline.errors)")
    #expect(command.read("a.png") != nil)
  }

  @Test("looks at the rows of its shard alone, as at its jobs", arguments: [1, 2, 3])
  func shards(parts: Int) async throws {
    let command = try CommandRun()
    for index in 0..<7 {
      try command.write(PNGImage.bytes(width: 8, height: 6, seed: index), to: "\(index).png")
    }
    func write(rows: Range<Int>, jobs: Range<Int>) throws {
      try command.write("source\n" + rows.map { "\($0).png\n" }.joined(), to: "t.csv")
      try command.write(
        "imagemill: 1\njobs:\n  - {from: t.csv, source: \"{source}\", output: \"{name}.webp\"}\n"
          + jobs.map { "  - {source: ./\($0).png, output: \($0).webp}\n" }.joined(), to: "m.yaml")
    }
    for (rows, jobs) in [(0..<3, 4..<7), (0..<4, 4..<6)] {
      try write(rows: rows, jobs: jobs)
      #expect(try await command.run("run", "--lock", "l.lock", "m.yaml").status == 0)
      // One source more, which isn't locked, is in one shard.
      try write(rows: 0..<4, jobs: 4..<7)
      var statuses: [Int32] = []
      for part in 1...parts {
        statuses.append(
          try await command.run(
            "run", "--lock", "l.lock", "--frozen", "--shard", "\(part)/\(parts)", "m.yaml"
          ).status)
      }
      #expect(
        statuses.sorted() == Array(repeating: 0, count: parts - 1) + [3], "\(rows) \(jobs): \(statuses)")
    }
  }

  @Test(
    "isn't written for a part of the jobs, and needs a file to compare with",
    arguments: [
      (["--failed"], "leave out --failed"), (["--shard", "1/2"], "leave out --shard"),
      (["--failed", "--shard=1/2"], "leave out --failed and --shard"),
      (["a.webp"], "leave out single outputs"),
    ])
  func parts(options: [String], words: String) async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    try command.write("imagemill: 1\njobs: [{source: ./a.png, output: a.webp}]\n", to: "m.yaml")
    #expect(try await command.run("run", "--lock", "m.lock", "m.yaml").status == 0)
    let lock = command.read("m.lock")
    let outcome = try await command.run(["run", "m.yaml", "--lock", "m.lock"] + options)
    #expect(
      outcome.status == 2 && outcome.errors.contains("the digests of complete manifests"), "\(outcome.errors)"
    )
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
    #expect(command.read("m.lock") == lock)
    for option in ["--check", "--frozen"] {
      let unnamed = try await command.run("run", option, "--lock", "-", "m.yaml")
      #expect(
        unnamed.status == 2
          && unnamed.errors.contains("\(option) --lock needs a file; '-' is standard output"),
        "\(unnamed.errors)")
    }
  }

  @Test("a check against it finds an output that would be written to another directory")
  func otherDirectory() async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    try command.write(
      "imagemill: 1\njobs: [{source: ./a.png, output: o/a.webp}, {source: ./a.png, output: \"o/{width}.webp\"}]\n",
      to: "m.yaml")
    let places = [[], ["-C", "pub"]]
    for (own, other) in zip(places, places.reversed()) {
      #expect(try await command.run(["run", "--lock", "m.lock", "m.yaml"] + own).status == 0)
      let check = ["run", "--check", "--lock", "m.lock", "m.yaml"]
      let same = try await command.run(check + own)
      #expect(same.status == 0, "\(same.errors)")
      try? FileManager.default.removeItem(atPath: command.work + (other.isEmpty ? "/o" : "/pub"))
      let moved = try await command.run(check + other)
      let path = other.isEmpty ? "o/a.webp" : "pub/o/a.webp"
      #expect(
        moved.status == 3 && moved.errors.contains("\(path): this output isn't in the lock file"),
        "\(moved.errors)")
    }
  }

  @Test(
    "a check against it says once that an output is made in another way, and which one isn't made any more")
  func otherRecipe() async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    func manifest(_ jobs: String...) throws {
      try command.write("imagemill: 1\njobs:\n" + jobs.map { "  - {\($0)}\n" }.joined(), to: "m.yaml")
    }
    try manifest("source: ./a.png, output: a.webp", "source: ./a.png, output: b.webp, filter: flip")
    #expect(try await command.run("run", "--lock", "m.lock", "m.yaml").status == 0)
    try manifest("source: ./a.png, output: a.webp, filter: flop")
    let check = try await command.run("run", "--check", "--lock", "m.lock", "m.yaml")
    #expect(check.status == 3)
    let lines = check.errors.split(separator: "\n") + check.lines[...].map { $0[...] }
    #expect(
      lines.filter { $0.contains("a.webp: ") }.map {
        $0.contains("its source, filter or options differ from those in")
      }
        == [true], "\(lines)")
    #expect(
      lines.filter { $0.contains("b.webp: ") }.map { $0.contains("the manifests no longer make it") } == [
        true
      ],
      "\(lines)")
  }

  @Test("can't be used with input that is streamed, which is a mistake in the command line")
  func streamed() async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    try command.write("{\"source\": \"a.png\", \"output\": \"b.webp\"}\n", to: "j.ndjson")
    #expect(try await command.run("run", "--lock", "m.lock", "j.ndjson").status == 0)
    let frozen = try await command.run("run", "--frozen", "--lock", "m.lock", "j.ndjson")
    #expect(frozen.status == 2 && frozen.errors.contains("are streamed"), "\(frozen.errors)")
  }

  @Test("with --dry-run, --frozen refuses other bytes too")
  func planned() async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 8, height: 6), to: "a.png")
    try command.write("imagemill: 1\njobs: [{source: ./a.png, output: a.webp}]\n", to: "m.yaml")
    #expect(try await command.run("run", "--lock", "m.lock", "m.yaml").status == 0)
    try command.write(PNGImage.bytes(width: 9, height: 6), to: "a.png")
    let plan = try await command.run("run", "--lock", "m.lock", "--frozen", "--dry-run", "m.yaml")
    #expect(plan.text.contains("refuse") && plan.text.contains("not the locked"), "\(plan.text)")
  }
}
