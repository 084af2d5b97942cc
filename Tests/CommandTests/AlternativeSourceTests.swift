import Foundation
import LoopbackServer
import Synchronization
import Testing

/// Jobs that name several sources, and a placeholder.
@Suite("Alternative sources", .timeLimit(.minutes(8)))
struct AlternativeSourceTests {
  private let command: CommandRun
  private let server: LoopbackServer
  private static let good = PNGImage.bytes(width: 60, height: 40, seed: 1)

  init() throws {
    command = try CommandRun()
    server = try LoopbackServer { request in
      let good = Self.good
      switch request.path {
      case "/good.png": return Page(good, type: "image/png")
      case "/cut.png": return Page(Array(good.prefix(good.count / 2)), type: "image/png")
      case "/page.png": return Page(text: "<html>hello</html>", type: "text/html")
      case "/drawing.svg":
        return Page(text: "<svg xmlns='http://www.w3.org/2000/svg'/>", type: "image/svg+xml")
      case "/empty.png": return Page([], type: "image/png")
      default: return .notFound
      }
    }
    try command.write(PNGImage.bytes(width: 60, height: 40, seed: 7), to: "missing.png")
  }

  /// Ways for a source to fail: before, during and after its download.
  private static let broken = ["/none.png", "/cut.png", "/page.png", "/drawing.svg", "/empty.png"]

  private func run(_ sources: [String], placeholder: Bool = false, _ options: String...) async throws
    -> CommandRun.Outcome
  {
    let list = sources.map { "\"\(server.url($0))\"" }.joined(separator: ", ")
    let standIn = placeholder ? "    placeholder: ./missing.png\n" : ""
    try command.write(
      "imagemill: 1\njobs:\n  - source: [\(list)]\n\(standIn)    outputs:\n"
        + "      - {output: a.png, filter: \"fit:30x20\"}\n      - {output: b.png, filter: \"fit:15x10\"}\n",
      to: "m.yaml")
    return try await command.run(
      ["run", "--allow-net", "loopback", "--retries", "0"] + options + ["m.yaml"])
  }

  @Test("a source that fails in any way is followed by the next", arguments: broken)
  func next(_ first: String) async throws {
    let outcome = try await run([first, "/good.png"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains(first), "\(outcome.errors)")
    for name in ["a.png", "b.png"] { #expect(command.read(name) != nil) }
    let made = command.read("a.png")
    #expect(try await run(["/good.png"]).status == 0)
    #expect(command.read("a.png") == made)
  }

  @Test("the placeholder replaces a source that fails in any way, and check holds", arguments: broken)
  func placeholder(_ source: String) async throws {
    let outcome = try await run([source], placeholder: true)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("placeholder"), "\(outcome.errors)")
    #expect(outcome.errors.contains("1 placeholder") || outcome.errors.contains("placeholders used"))
    let again = try await run([source], placeholder: true)
    #expect(again.status == 0 && again.errors.contains("2 unchanged"), "\(again.errors)")
    let checked = try await run([source], placeholder: true, "--check")
    #expect(checked.status == 0, "\(checked.errors)")
  }

  @Test("sources that all fail are told one by one, each by its own name", arguments: broken, broken)
  func all(_ first: String, _ second: String) async throws {
    guard first != second else { return }
    let outcome = try await run([first, second])
    #expect(outcome.status == 1 || outcome.status == 75, "an empty body is a passing failure")
    let message = try #require(outcome.errors.split(separator: "\n").first { $0.contains("error:") })
    let places = [first, second].compactMap { message.range(of: server.url($0))?.lowerBound }
    #expect(places.count == 2 && places[0] < places[1], "\(message)")
    #expect(command.read("a.png") == nil)
  }

  @Test("an overlay that fails doesn't count as a failed source")
  func overlay() async throws {
    try command.write(
      """
      imagemill: 1
      jobs:
        - source: ["\(server.url("/good.png"))", ./missing.png]
          filter: "overlay:logo"
          output: a.png
      sources: {logo: "\(server.url("/none.png"))"}

      """, to: "m.yaml")
    let outcome = try await command.run(
      "run", "--allow-net", "loopback", "--retries", "0", "m.yaml")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("\(server.url("/none.png")): download: "), "\(outcome.errors)")
    #expect(command.read("a.png") == nil)
  }
}

/// `publish: progressive`: a thumbnail first.
@Suite("Versions of rising quality", .timeLimit(.minutes(8)))
struct ProgressiveTests {
  private let small = PNGImage.bytes(width: 30, height: 20, seed: 1)
  private let large = PNGImage.bytes(width: 300, height: 200, seed: 2)

  private func write(_ command: CommandRun, _ server: LoopbackServer, _ paths: [String]) throws {
    let list = paths.map { "\"\(server.url($0))\"" }.joined(separator: ", ")
    try command.write(
      "imagemill: 1\njobs:\n  - {source: [\(list)], publish: progressive, output: a.png}\n", to: "m.yaml")
  }

  private func width(_ command: CommandRun) -> Int? {
    guard let bytes = command.read("a.png"), bytes.count > 24 else { return nil }
    return bytes[16..<20].reduce(0) { $0 << 8 | Int($1) }
  }

  @Test("the first version is in place while a better one is on its way")
  func thumbnailFirst() async throws {
    let command = try CommandRun()
    let (small, large, gate) = (small, large, Gate())
    let server = try LoopbackServer { request in
      if request.path == "/large.png" { return Page(large, type: "image/png", gate: gate) }
      return Page(small, type: "image/png")
    }
    try write(command, server, ["/small.png", "/large.png"])
    async let outcome = command.run(
      arguments: ["run", "--allow-net", "loopback"] + CommandRun.patient + ["m.yaml"])
    while width(command) == nil { try await Task.sleep(for: .milliseconds(5)) }
    #expect(width(command) == 30)
    gate.open()
    let result = try await outcome
    #expect(result.status == 0, "\(result.errors)")
    #expect(width(command) == 300)
    #expect(server.count(of: "/small.png") == 1 && server.count(of: "/large.png") == 1)
  }

  @Test("a version that comes late, or that is broken, never replaces a better one")
  func late() async throws {
    let command = try CommandRun()
    let (small, large, gate) = (small, large, Gate())
    let server = try LoopbackServer { request in
      switch request.path {
      case "/small.png": return Page(small, type: "image/png", gate: gate)
      case "/broken.png": return Page(Array(large.prefix(1000)), type: "image/png")
      default: return Page(large, type: "image/png")
      }
    }
    try write(command, server, ["/small.png", "/large.png", "/broken.png"])
    async let outcome = command.run(
      arguments: ["run", "--allow-net", "loopback"] + CommandRun.patient + ["m.yaml"])
    while width(command) == nil { try await Task.sleep(for: .milliseconds(5)) }
    gate.open()
    let result = try await outcome
    #expect(result.status == 0, "\(result.errors)")
    #expect(width(command) == 300)
  }

  @Test("versions that haven't changed write nothing, and their lock file is always the same")
  func settled() async throws {
    let command = try CommandRun()
    let (small, large) = (small, large)
    let late = Mutex<(path: String, gate: Gate)?>(nil)
    let server = try LoopbackServer { request in
      let late = late.withLock(\.self)
      return Page(
        request.path == "/large.png" ? large : small, type: "image/png",
        fields: [("Cache-Control", "max-age=0")], gate: late?.path == request.path ? late?.gate : nil)
    }
    try write(command, server, ["/small.png", "/large.png"])
    let line = ["run", "--allow-net", "loopback", "--lock", "m.lock"] + CommandRun.patient
    #expect(try await command.run(line + ["m.yaml"]).status == 0)
    #expect(width(command) == 300)
    let lock = try #require(command.read("m.lock"))
    func fileNumber() throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: command.work + "/a.png")[.systemFileNumber] as? Int
    }
    let written = try fileNumber()
    for options in [[], ["--no-cache"]] {
      for (path, other) in [("/large.png", "/small.png"), ("/small.png", "/large.png")] {
        let gate = Gate()
        late.withLock { $0 = (path, gate) }
        let before = server.count(of: other)
        async let outcome = command.run(arguments: line + options + ["m.yaml"])
        while server.count(of: other) == before { try await Task.sleep(for: .milliseconds(5)) }
        // Time for the version that arrived to be written, if that were wanted.
        try await Task.sleep(for: .milliseconds(300))
        #expect(try fileNumber() == written, "\(options) \(path)")
        gate.open()
        let again = try await outcome
        #expect(again.errors.contains("1 unchanged"), "\(options) \(path): \(again.errors)")
        #expect(command.read("m.lock") == lock, "\(options) \(path)")
        #expect(try fileNumber() == written, "not replaced in between")
      }
    }
  }

  @Test("an earlier version replaces an existing output only if no better one can be used")
  func worseAgain() async throws {
    let command = try CommandRun()
    let (small, large) = (small, large)
    let isGone = Mutex(false)
    let server = try LoopbackServer { request in
      if request.path == "/large.png", isGone.withLock(\.self) { return .notFound }
      return Page(
        request.path == "/large.png" ? large : small, type: "image/png",
        fields: [("Cache-Control", "max-age=0")])
    }
    try write(command, server, ["/small.png", "/large.png"])
    #expect(try await command.run("run", "--allow-net", "loopback", "m.yaml").status == 0)
    isGone.withLock { $0 = true }
    let outcome = try await command.run("run", "--allow-net", "loopback", "m.yaml")
    #expect(outcome.status == 0 && outcome.errors.contains("another source failed"), "\(outcome.errors)")
    #expect(width(command) == 30)
  }

  @Test("of two runs at once the one that began later wins, whichever ends first")
  func twoRuns() async throws {
    let command = try CommandRun()
    let (small, large, gate) = (small, large, Gate())
    let server = try LoopbackServer { request in
      if request.path == "/slow.png" { return Page(small, type: "image/png", gate: gate) }
      return Page(large, type: "image/png")
    }
    for (name, path) in [("early", "/slow.png"), ("later", "/fast.png")] {
      try command.write(
        "imagemill: 1\njobs:\n  - {source: \"\(server.url(path))\", output: a.png}\n", to: "\(name).yaml")
    }
    async let early = command.run(
      arguments: ["run", "--allow-net", "loopback"] + CommandRun.patient + ["early.yaml"])
    while server.count(of: "/slow.png") == 0 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try await command.run("run", "--allow-net", "loopback", "later.yaml").status == 0)
    gate.open()
    let outcome = try await early
    #expect(outcome.status == 0 && outcome.errors.contains("is kept"), "\(outcome.errors)")
    #expect(width(command) == 300)
    // The next run is a later one.
    #expect(try await command.run("run", "--allow-net", "loopback", "early.yaml").status == 0)
    #expect(width(command) == 30)
  }
}
