import Foundation
import LoopbackServer
import Testing

@Suite("imagemill run", .timeLimit(.minutes(8)))
struct MainJobTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  private func page(_ width: Int, _ height: Int, seed: Int = 0) -> Page {
    Page(PNGImage.bytes(width: width, height: height, seed: seed), type: "image/png")
  }

  private func size(_ name: String) -> [Int]? {
    command.read(name).flatMap { PNGImage.size(of: $0) }.map { [$0.width, $0.height] }
  }

  private func manifest(_ jobs: [String]) throws {
    try command.write("imagemill: 1\njobs:\n" + jobs.map { "  - \($0)\n" }.joined(), to: "m.yaml")
  }

  @Test("a source that fifty jobs name is downloaded once, and each chain is rendered once")
  func nothingTwice() async throws {
    let server = try LoopbackServer(pages: ["/a.png": page(300, 200)])
    let chains: [(String, [Int])] = [
      ("fill:100x100", [100, 100]), ("fit:90x90", [90, 60]), ("pad:80x80", [80, 80]),
      ("scale:50x70", [50, 70]), ("circle", [200, 200]),
    ]
    try manifest(
      (0..<50).map {
        "{source: \"\(server.url("/a.png"))\", filter: \"\(chains[$0 % 5].0)\", output: o\($0).png}"
      })
    let outcome = try await command.run(
      "run", "--allow-net", "loopback", "--report", "r.json", "m.yaml")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(server.count(of: "/a.png") == 1)
    for index in 0..<50 { #expect(size("o\(index).png") == chains[index % 5].1, "o\(index)") }
    #expect(command.files.count == 52)
    let report = try #require(command.read("r.json"))
    let json = try #require(try JSONSerialization.jsonObject(with: report) as? [String: Any])
    let summary = try #require(json["summary"] as? [String: Any])
    #expect(summary["decodes"] as? Int == 1)
    #expect(summary["renderings"] as? Int == 5)
  }

  @Test("active downloads keep to --downloads and to --per-host", arguments: [("-d", 2), ("--per-host", 3)])
  func limits(option: String, limit: Int) async throws {
    let gate = Gate()
    let image = PNGImage.bytes(width: 8, height: 8)
    let server = try LoopbackServer { _ in Page(image, type: "image/png", gate: gate) }
    try manifest((0..<12).map { "{source: \"\(server.url("/\($0).png"))\", output: \"\($0).png\"}" })
    async let outcome = command.run(
      arguments: ["run", "--allow-net", "loopback", option, "\(limit)", "m.yaml"] + CommandRun.patient)
    while gate.arrivals < limit { try await Task.sleep(for: .milliseconds(5)) }
    gate.open()
    #expect(try await outcome.status == 0)
    #expect(server.peakConcurrency == limit)
    #expect(server.requests.count == 12)
  }

  @Test("pending downloads start in the order that is asked for", arguments: ["fifo", "lifo"])
  func order(order: String) async throws {
    let gate = Gate()
    let image = PNGImage.bytes(width: 8, height: 8)
    let server = try LoopbackServer { request in
      Page(image, type: "image/png", gate: request.path == "/0.png" ? gate : nil)
    }
    let jobs = (0..<6).map {
      "{source: \"\(server.url("/\($0).png"))\", output: \"\($0).png\", priority: \($0 == 3 ? 5 : 0)}"
    }
    try manifest(["{source: \"\(server.url("/0.png"))\", output: first.png, priority: 9}"] + jobs)
    let process = command.process(
      ["run", "--allow-net", "loopback", "-d", "1", "--order", order, "m.yaml"] + CommandRun.patient)
    process.standardError = FileHandle.nullDevice
    try process.run()
    while gate.arrivals < 1 { try await Task.sleep(for: .milliseconds(5)) }
    // The rest is queued behind the one download that is allowed.
    try await CommandRun.untilIdle(process)
    gate.open()
    await process.ended()
    #expect(process.terminationStatus == 0)
    let paths = server.requests.map(\.path)
    let rest =
      order == "fifo" ? ["/1.png", "/2.png", "/4.png", "/5.png"] : ["/5.png", "/4.png", "/2.png", "/1.png"]
    #expect(paths == ["/0.png", "/3.png"] + rest)
  }

  @Test("one bad job costs one job, and is named with source, stage and reason")
  func failures() async throws {
    let good = PNGImage.bytes(width: 64, height: 48)
    let large = PNGImage.bytes(width: 400, height: 400)
    let server = try LoopbackServer(pages: [
      "/good.png": Page(good, type: "image/png"),
      "/html.png": Page(text: "<html>not an image</html>", type: "image/png"),
      "/cut.png": Page(Array(large.prefix(3000)), type: "image/png"),
      "/crash.png": Page(PNGImage.bytes(width: 9, height: 9), type: "image/png"),
    ])
    let names = ["good", "none", "html", "cut", "crash"]
    try manifest(names.map { "{source: \"\(server.url("/\($0).png"))\", output: \($0).png}" })
    let outcome = try await command.run(
      "run", "--allow-net", "loopback", "--retries", "0", "m.yaml",
      environment: ["IMAGEMILL_TEST_WORKER": "crash:crash.png"])
    #expect(outcome.status == 1)
    #expect(command.files == ["good.png", "m.yaml"])
    for (name, words) in [
      ("none", "404"), ("html", "HTML"), ("cut", "truncated"), ("crash", "crashed"),
    ] {
      #expect(
        outcome.errors.split(separator: "\n").contains { $0.contains("/\(name).png") && $0.contains(words) },
        "\(name): \(outcome.errors)")
    }
    #expect(outcome.errors.contains("jobs 5: 1 done, 4 failed"))
  }

  @Test("an image that kills its worker isn't tried again on every run, but by --force")
  func rememberedCrash() async throws {
    try command.write(PNGImage.bytes(width: 8, height: 8), to: "crash.png")
    try manifest(["{source: ./crash.png, output: a.png}"])
    let crashing = ["IMAGEMILL_TEST_WORKER": "crash:crash.png"]
    #expect(try await command.run("run", "m.yaml", environment: crashing).status == 1)
    let second = try await command.run("run", "m.yaml")
    #expect(second.status == 1)
    #expect(second.errors.contains("--force"))
    #expect(
      try await command.run("run", "m.yaml").errors.split(separator: "\n").first
        == second.errors.split(separator: "\n").first, "told the same way every time")
    #expect(try await command.run("run", "--force", "m.yaml").status == 0)
    #expect(size("a.png") == [8, 8])
  }

  @Test(
    "a worker that was killed or stopped from outside says nothing about its image: the next run makes it",
    arguments: ["kill", "stop"])
  func killedWorker(action: String) async throws {
    try command.write(PNGImage.bytes(width: 8, height: 8), to: "odd.png")
    try manifest(["{source: ./odd.png, output: a.png}"])
    let first = try await command.run(
      "run", "--job-timeout", "15s", "--report", "r.json", "m.yaml",
      environment: ["IMAGEMILL_TEST_WORKER": "\(action):odd.png"])
    #expect(first.status == 75, "\(first.errors)")
    let report = String(decoding: try #require(command.read("r.json")), as: UTF8.self)
    #expect(report.contains("\"worker-killed\""))
    let second = try await command.run("run", "--job-timeout", "15s", "m.yaml")
    #expect(second.status == 0, "\(second.errors)")
    #expect(size("a.png") == [8, 8])
  }

  @Test("a worker that hangs is ended when its time is up")
  func hangingWorker() async throws {
    try command.write(PNGImage.bytes(width: 8, height: 8), to: "hang.png")
    try command.write(PNGImage.bytes(width: 8, height: 8, seed: 1), to: "good.png")
    try manifest(["{source: ./hang.png, output: a.png}", "{source: ./good.png, output: b.png}"])
    let outcome = try await command.run(
      "run", "--job-timeout", "15s", "m.yaml", environment: ["IMAGEMILL_TEST_WORKER": "hang:hang.png"])
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("--job-timeout"))
    #expect(size("b.png") == [8, 8])
    #expect(size("a.png") == nil)
  }

  @Test("the placeholder stands in where every source fails, and the run says so")
  func placeholder() async throws {
    let server = try LoopbackServer(pages: ["/missing.png": page(30, 20)])
    try manifest([
      "{source: [\"\(server.url("/a.png"))\", \"\(server.url("/b.png"))\"], placeholder: \"\(server.url("/missing.png"))\", output: a.png}"
    ])
    let outcome = try await command.run("run", "--allow-net", "loopback", "--retries", "0", "m.yaml")
    #expect(outcome.status == 0)
    #expect(size("a.png") == [30, 20])
    #expect(outcome.errors.contains("placeholder"))
    #expect(server.requests.map(\.path) == ["/a.png", "/b.png", "/missing.png"])
  }

  @Test("a wrong manifest ends with 2, every mistake listed and nothing started")
  func wrongManifest() async throws {
    let server = try LoopbackServer(pages: ["/a.png": page(30, 20)])
    try manifest([
      "{source: \"\(server.url("/a.png"))\", filter: crcle, output: a.png}",
      "{source: \"\(server.url("/a.png"))\", fliter: circle, output: b.png}",
      "{source: \"\(server.url("/a.png"))\", output: ../c.png}",
    ])
    let outcome = try await command.run("run", "--allow-net", "loopback", "m.yaml")
    #expect(outcome.status == 2)
    for line in [3, 4] { #expect(outcome.errors.contains("m.yaml:\(line):"), "\(outcome.errors)") }
    #expect(outcome.errors.contains("did you mean 'circle'?"))
    #expect(server.requests.isEmpty)
    #expect(command.files == ["m.yaml"])
  }

  @Test("loopback is refused unless it is allowed, before any connection is made")
  func addressPolicy() async throws {
    let server = try LoopbackServer(pages: ["/a.png": page(30, 20)])
    try manifest(["{source: \"\(server.url("/a.png"))\", output: a.png}"])
    let outcome = try await command.run("run", "m.yaml")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("--allow-net"))
    #expect(server.connectionCount == 0)
  }

  @Test("two outputs of one path and different content are an error; the first stays whole")
  func conflict() async throws {
    try command.write(PNGImage.bytes(width: 8, height: 8), to: "a.png")
    try command.write(PNGImage.bytes(width: 9, height: 9), to: "b.png")
    try manifest([
      "{source: ./a.png, output: \"{format}.png\"}", "{source: ./b.png, output: \"{format}.png\"}",
    ])
    let outcome = try await command.run("run", "m.yaml")
    #expect([1, 2].contains(outcome.status))
    #expect(outcome.errors.contains("png.png"))
  }

  @Test(
    "a signal in the middle leaves no partial file and no process; the status names it",
    arguments: [SIGHUP, SIGINT, SIGTERM])
  func signals(number: Int32) async throws {
    let gate = Gate()
    let image = PNGImage.bytes(width: 300, height: 300)
    let server = try LoopbackServer { request in
      Page(image, type: "image/png", gate: request.path.hasPrefix("/late") ? gate : nil)
    }
    defer { gate.open() }
    try manifest(
      (0..<8).map { "{source: \"\(server.url("/early\($0).png"))\", filter: \"blur:4\", output: e\($0).png}" }
        + (0..<8).map { "{source: \"\(server.url("/late\($0).png"))\", output: l\($0).png}" })
    let process = command.process(
      ["run", "--allow-net", "loopback", "--per-host", "16", "m.yaml"] + CommandRun.patient)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.restoreSignals()
    try process.run()
    while gate.arrivals < 8 { try await Task.sleep(for: .milliseconds(5)) }
    while size("e0.png") == nil { try await Task.sleep(for: .milliseconds(5)) }
    kill(process.processIdentifier, number)
    await process.ended()
    #expect(process.terminationReason == .exit && process.terminationStatus == 128 + number)
    for file in command.files where file != "m.yaml" { #expect(size(file) == [300, 300], "\(file)") }
    #expect(!command.files.contains { $0.hasPrefix("l") })
    let children = try #require(
      FileManager.default.contents(atPath: "/proc/self/task/\(getpid())/children"))
    #expect(
      !String(decoding: children, as: UTF8.self).split(separator: " ").contains(
        "\(process.processIdentifier)"))
  }
}
