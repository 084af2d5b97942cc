import Foundation
import LoopbackServer
import Testing

/// A cache that was filled elsewhere, and may only be read here: an image layer's, another user's, a mounted one.
@Suite("A read-only cache", .timeLimit(.minutes(8)))
struct ReadOnlyCacheTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  /// Runs the command with no right to write where modes forbid it, which the superuser has otherwise.
  private func run(_ arguments: String...) async throws -> CommandRun.Outcome {
    guard geteuid() == 0 else { return try await command.run(arguments: arguments) }
    return try await command.run(
      ["--bounding-set=-dac_override,-dac_read_search", CommandRun.executable] + arguments,
      executable: "/usr/bin/setpriv")
  }

  private func setModes(_ change: String) async throws {
    let outcome = try await command.run(
      ["-R", change, command.directory + "/cache"], executable: "/bin/chmod")
    try #require(outcome.status == 0, "\(outcome.errors)")
  }

  @Test("what it holds is used, what it lacks is downloaded, and nothing in it changes")
  func use() async throws {
    let server = try LoopbackServer { request in
      Page(
        PNGImage.bytes(width: 40, height: 30, seed: request.path.count), type: "image/png",
        fields: [("Cache-Control", "max-age=600")])
    }
    try command.write(
      """
      imagemill: 1
      jobs:
        - {source: "\(server.url("/known.png"))", filter: "fit:20x20", output: "known.png"}
      """, to: "known.yaml")
    try command.write(
      """
      imagemill: 1
      jobs:
        - {source: "\(server.url("/known.png"))", filter: "fit:20x20", output: "known.png"}
        - {source: "\(server.url("/known.png"))", filter: "fit:10x10", output: "other.png"}
        - {source: "\(server.url("/new.png"))", filter: "fit:20x20", output: "new.png"}
      """, to: "more.yaml")
    #expect(try await run("run", "-q", "--allow-net", "loopback", "known.yaml").status == 0)
    let known = command.read("known.png")
    try FileManager.default.removeItem(atPath: command.work + "/known.png")
    let before = try contents()
    try await setModes("a-w")

    let outcome = try await run(
      "run", "--allow-net", "loopback", "--report", "report.json", "more.yaml")
    try await setModes("u+w")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(command.read("known.png") == known)
    #expect(command.read("other.png") != nil && command.read("new.png") != nil)
    #expect(server.count(of: "/known.png") == 1)
    #expect(server.count(of: "/new.png") == 1)
    #expect(outcome.errors.contains("jobs 3: 3 done; outputs 3: "), "\(outcome.errors)")
    #expect(try contents() == before)
  }

  @Test("'cache verify' reads its objects, and reports a damaged one that stays", arguments: [false, true])
  func verified(isDamaged: Bool) async throws {
    try command.write(PNGImage.bytes(width: 40, height: 30), to: "a.png")
    #expect(try await run("pipe", "-f", "fit:20x20", "-o", "b.png", "a.png").status == 0)
    let objects = try contents().keys.filter { $0.hasPrefix("objects/") }.sorted()
    let object = try #require(objects.first)
    if isDamaged {
      let path = command.directory + "/cache/" + object
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      try Data("not these bytes".utf8).write(to: URL(fileURLWithPath: path))
    }
    try await setModes("a-w")
    let before = try contents()
    let outcome = try await run("cache", "verify")
    #expect(try contents() == before)
    try await setModes("u+w")
    #expect(outcome.status == (isDamaged ? 1 : 0), "\(outcome.errors)")
    #expect(outcome.text == "\(objects.count) objects read, \(isDamaged ? 1 : 0) damaged\n")
    #expect(
      outcome.errors.contains("it isn't removed, because the cache is read-only") == isDamaged,
      "\(outcome.errors)")
  }

  @Test("cache commands read it, and say why they can't change it")
  func commands() async throws {
    try command.write(PNGImage.bytes(width: 40, height: 30), to: "a.png")
    #expect(try await run("convert", "a.png", "-f", "fit:20x20", "b.png").status == 0)
    try await setModes("a-w")
    let statistics = try await run("cache", "stats")
    let purge = try await run("cache", "purge", "--to", "0")
    let clear = try await run("cache", "clear")
    try await setModes("u+w")
    #expect(statistics.status == 0 && statistics.text.contains("objects"), "\(statistics.errors)")
    for outcome in [purge, clear] {
      #expect(outcome.status == 1, "\(outcome.text)")
      #expect(outcome.errors.contains("read-only"), "\(outcome.errors)")
    }
    #expect(try await run("cache", "verify").text.contains("0 damaged"))
  }

  /// Every file of the cache.
  private func contents() throws -> [String: Data] {
    let root = command.directory + "/cache"
    let names = FileManager.default.enumerator(atPath: root)?.allObjects.compactMap { $0 as? String } ?? []
    return Dictionary(
      uniqueKeysWithValues: names.compactMap { name in
        FileManager.default.contents(atPath: root + "/" + name).map { (name, $0) }
      })
  }
}
