import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite("imagemill plan", .timeLimit(.minutes(8)))
struct PlanTests {
  /// Totals of a plan, or what a run did, in the same words.
  private struct Work: Equatable, CustomStringConvertible {
    var downloads = 0
    var decodes = 0
    var renderings = 0
    var description: String { "\(downloads) downloads, \(decodes) decodes, \(renderings) renderings" }
  }

  private struct Job {
    var source: Int
    var chain: [String]
    var format: String
  }

  /// Everything done once: what a person with a pencil would count.
  private func naive(_ jobs: [Job]) -> Work {
    // Images of 96x64 are PNG: no decoder shrinks, and all chains of a source begin with one decoding.
    Work(
      downloads: Set(jobs.map(\.source)).count, decodes: Set(jobs.map(\.source)).count,
      renderings: Set(jobs.map { "\($0.source) \($0.chain.joined(separator: ",")) \($0.format)" }).count)
  }

  private func work(_ json: Data, _ key: String) throws -> Work {
    let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    let totals = try #require(object[key] as? [String: Any])
    func number(_ name: String) -> Int { totals[name] as? Int ?? -1 }
    return Work(
      downloads: number("downloads"), decodes: number("decodes"), renderings: number("renderings"))
  }

  @Test(
    "a run makes exactly the downloads, decodings and renderings that the plan has said, for random manifests"
  )
  func exact() async throws {
    let seed = SeededRandom.seed
    var generator = SeededRandom(seed: seed)
    print("plan seed: \(seed)")
    func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
    let filters = ["fit:40x40", "fill:30x20", "blur:1", "circle", "sepia", "flip", "rotate:90"]
    for round in 0..<6 {
      let command = try CommandRun()
      let server = try LoopbackServer { request in
        let number = Int(request.path.filter(\.isNumber)) ?? 0
        return Page(
          PNGImage.bytes(width: 96, height: 64, seed: number), type: "image/png",
          fields: [("Cache-Control", "max-age=600")])
      }
      let jobs = (0..<(5 + random(40))).map { _ in
        Job(
          source: random(6), chain: (0..<random(4)).map { _ in filters[random(filters.count)] },
          format: ["png", "jpg", "webp"][random(3)])
      }
      let lines = jobs.enumerated().map { index, job in
        "  - {source: \"\(server.url("/\(job.source).png"))\", filter: \"\(job.chain.joined(separator: ","))\", "
          + "output: o\(index).\(job.format)}\n"
      }
      try command.write("imagemill: 1\njobs:\n" + lines.joined(), to: "m.yaml")
      let expected = naive(jobs)

      // Nothing is stored: the plan says what is sure.
      let blind = try work(
        try await command.run("plan", "--allow-net", "loopback", "--json", "m.yaml").output, "totals")
      #expect(blind == expected, "round \(round)")
      // The sources are stored: what remains is known exactly.
      let urls = Set(jobs.map { server.url("/\($0.source).png") })
      #expect(try await command.run(["fetch", "--allow-net", "loopback"] + urls).status == 0)
      var planned = try work(
        try await command.run("plan", "--allow-net", "loopback", "--json", "m.yaml").output, "totals")
      #expect(planned == Work(downloads: 0, decodes: expected.decodes, renderings: expected.renderings))
      var outcome = try await command.run("run", "--allow-net", "loopback", "--report", "r.json", "m.yaml")
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try work(#require(command.read("r.json")), "summary") == planned, "round \(round)")
      #expect(server.requests.count == expected.downloads)

      // Half of the outputs lose a filter or gain one: renditions are at hand, and the plan knows.
      let changed = jobs.enumerated().map { index, job in
        let chain =
          index % 2 == 0 ? job.chain : Array(job.chain.dropLast()) + (index % 4 == 1 ? ["grayscale"] : [])
        return
          "  - {source: \"\(server.url("/\(job.source).png"))\", filter: \"\(chain.joined(separator: ","))\", "
          + "output: o\(index).\(job.format)}\n"
      }
      try command.write("imagemill: 1\njobs:\n" + changed.joined(), to: "m.yaml")
      planned = try work(
        try await command.run("plan", "--allow-net", "loopback", "--json", "m.yaml").output, "totals")
      outcome = try await command.run("run", "--allow-net", "loopback", "--report", "r.json", "m.yaml")
      #expect(try work(#require(command.read("r.json")), "summary") == planned, "round \(round), changed")

      // Each output alone, from nothing, has the same bytes.
      let index = random(jobs.count)
      let name = "o\(index).\(jobs[index].format)"
      let made = try #require(command.read(name))
      try command.write("imagemill: 1\njobs:\n" + changed[index], to: "one.yaml")
      let alone = try await command.run(
        "run", "--allow-net", "loopback", "--no-cache", "-C", "alone", "one.yaml")
      #expect(alone.status == 0, "\(alone.errors)")
      #expect(command.read("alone/\(name)") == made)
    }
  }

  @Test(
    "a dry run renders what the run with the same options renders, when reports or markup show placeholders",
    arguments: [
      [], ["--placeholders"], ["--report", "x.html"], ["--report", "X.HTML"], ["--emit", "picture=x.html"],
      ["--emit", "srcset=x.txt"],
    ])
  func placeholders(options: [String]) async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 40, height: 30), to: "a.png")
    let line =
      "{source: ./a.png, outputs: [{output: \"{width}.webp\", filter: \"scale:{width}x\", matrix: {width: [8, 16]}, "
      + "markup: {placeholder: color}}]}"
    try command.write("imagemill: 1\njobs: [\(line)]\n", to: "m.yaml")
    #expect(try await command.run("run", "m.yaml").status == 0)
    let plan = try await command.run(arguments: ["run", "-n"] + options + ["m.yaml"])
    // A check takes no files, and compares bytes, which placeholders don't change.
    let check = try await command.run(
      arguments: ["run", "--check"] + options.filter { $0 == "--placeholders" } + ["m.yaml"])
    #expect(check.status == 0, "\(check.errors)")
    let run = try await command.run(arguments: ["run", "--report", "r.json"] + options + ["m.yaml"])
    #expect(run.status == 0, "\(run.errors)")
    let rendered = try work(#require(command.read("r.json")), "summary").renderings
    #expect(
      rendered > 0 ? plan.text.contains("; \(rendered) to render\n") : !plan.text.contains("to render"),
      "\(rendered): \(plan.text)")
    #expect((rendered > 0) == (!options.isEmpty))
  }

  @Test("a plan makes no request, starts no worker and writes nothing")
  func harmless() async throws {
    let command = try CommandRun()
    let server = try LoopbackServer(pages: [
      "/a.png": Page(PNGImage.bytes(width: 9, height: 9), type: "image/png")
    ])
    try command.write(
      "imagemill: 1\njobs:\n  - {source: \"\(server.url("/a.png"))\", output: a.png}\n", to: "m.yaml")
    for option in ["--json", "--dot"] {
      let outcome = try await command.run(
        "plan", "--allow-net", "loopback", option, "m.yaml",
        environment: ["IMAGEMILL_TEST_WORKER": "crash:a.png"])
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    #expect(server.connectionCount == 0)
    #expect(command.files == ["m.yaml"])
  }

  @Test("a stored error that the run asks about again is planned as a download")
  func staleError() async throws {
    let command = try CommandRun()
    let image = Page(PNGImage.bytes(width: 9, height: 9), type: "image/png")
    let answers = Shared(0)
    let server = try LoopbackServer { _ in
      let count = answers.change { count in
        count += 1
        return count
      }
      return count == 1 ? .notFound : image
    }
    defer { server.stop() }
    try command.write(
      "imagemill: 1\njobs:\n  - {source: \"\(server.url("/a.png"))\", output: a.png}\n", to: "m.yaml")
    #expect(try await command.run("run", "--allow-net", "loopback", "m.yaml").status == 1)
    for arguments in [["plan"], ["run", "--dry-run"]] {
      let outcome = try await command.run(arguments: arguments + ["--allow-net", "loopback", "m.yaml"])
      #expect(outcome.text.hasPrefix("download "), "\(outcome.text)")
    }
    #expect(server.requests.count == 1)
    #expect(try await command.run("run", "--allow-net", "loopback", "m.yaml").status == 0)
    #expect(server.requests.count == 2)
  }

  @Test("a plan of a run that sends no request has no revalidation")
  func offline() async throws {
    let command = try CommandRun()
    let server = try LoopbackServer(pages: [
      "/a.png": Page(PNGImage.bytes(width: 9, height: 9), type: "image/png")
    ])
    defer { server.stop() }
    try command.write(
      "imagemill: 1\njobs:\n  - {source: \"\(server.url("/a.png"))\", output: a.png}\n", to: "m.yaml")
    #expect(try await command.run("run", "--allow-net", "loopback", "m.yaml").status == 0)
    let online = try await command.run("plan", "--allow-net", "loopback", "m.yaml")
    #expect(online.text.hasPrefix("revalidate "), "\(online.text)")
    let offline = try await command.run("plan", "--offline", "m.yaml")
    #expect(offline.text.hasPrefix("keep ") && !offline.text.contains("to revalidate"), "\(offline.text)")
    #expect(server.requests.count == 1)
  }

  @Test("a plan warns of a stored source whose outputs take longer than the time limit, by estimate")
  func timeLimit() async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 400, height: 300), to: "a.png")
    try command.write(
      "imagemill: 1\njobs: [{source: ./a.png, filter: \"median:9\", output: a.webp}]\n", to: "m.yaml")
    for arguments in [["plan"], ["run", "--dry-run"]] {
      let short = try await command.run(arguments: arguments + ["--job-timeout", "1ms", "m.yaml"])
      #expect(short.status == 0, "\(short.errors)")
      #expect(short.text.contains("warning     ./a.png: rendering its outputs takes about"), "\(short.text)")
      #expect(short.text.contains("raise --job-timeout"), "\(short.text)")
      let usual = try await command.run(arguments: arguments + ["m.yaml"])
      #expect(usual.status == 0 && !usual.text.contains("warning"), "\(usual.text)")
    }
    for (limit, count) in [("1ms", 1), ("1h", 0)] {
      let outcome = try await command.run("plan", "--json", "--job-timeout", limit, "m.yaml")
      let plan = try #require(
        try JSONSerialization.jsonObject(with: Data(outcome.text.utf8)) as? [String: Any])
      #expect((plan["longRenderings"] as? [Any])?.count == count)
    }
    // What is in place takes no time.
    #expect(try await command.run("run", "m.yaml").status == 0)
    #expect(try await !command.run("plan", "--job-timeout", "1ms", "m.yaml").text.contains("warning"))
  }

  @Test("the graph has a node for each step, equal ones once")
  func graph() async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 60, height: 40), to: "a.png")
    let outputs = [("fill:20x20", "1.png"), ("fill:20x20,circle", "2.png"), ("fill:20x20,circle", "3.png")]
    try command.write(
      "imagemill: 1\njobs:\n"
        + outputs.map { "  - {source: ./a.png, filter: \"\($0.0)\", output: \($0.1)}\n" }.joined(),
      to: "m.yaml")
    let dot = try await command.run("plan", "--dot", "m.yaml").text
    func count(_ word: String) -> Int { dot.components(separatedBy: word).count - 1 }
    #expect(count("shape=cylinder") == 1)
    #expect(count("shape=ellipse") == 1, "one decoding")
    #expect(count("label=\"fill:") == 1)
    #expect(count("label=\"circle\"") == 1)
    #expect(count("shape=hexagon") == 2)
    #expect(count("shape=note") == 3)
    #expect(count(" -> ") == 8)
  }

  @Test("a plan of nothing has no empty parts")
  func nothing() async throws {
    let command = try CommandRun()
    try command.write("source,id\n", to: "h.csv")
    let outcome = try await command.run("plan", "h.csv", "-o", "o/{id}.png")
    #expect(outcome.status == 0 && outcome.text == "nothing to do\n", "\(outcome.text)\(outcome.errors)")
  }
}
