import Foundation
import LoopbackServer
import Testing

@Suite("The cache's directory", .timeLimit(.minutes(8)))
struct AbsentCacheTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  private var cache: String { command.directory + "/cache" }

  @Test("is not created by a command that only reads")
  func reading() async throws {
    try command.write(PNGImage.bytes(width: 40, height: 30), to: "a.png")
    try command.write("imagemill: 1\njobs: [{source: a.png, output: b.png}]", to: "a.yaml")
    let statuses = [
      (["plan", "a.yaml"], Int32(0)), (["run", "--dry-run", "a.yaml"], 0), (["run", "--check", "a.yaml"], 3),
      (["cache", "path"], 0), (["cache", "stats"], 0), (["cache", "stats", "--json"], 0),
      (["cache", "list"], 0),
      (["cache", "explain", "b.png"], 1), (["cache", "limit"], 0),
    ]
    for (arguments, status) in statuses {
      let outcome = try await command.run(arguments: arguments)
      #expect(outcome.status == status, "\(arguments): \(outcome.errors)")
      #expect(!FileManager.default.fileExists(atPath: cache), "\(arguments)")
    }
    #expect(try await command.run("cache", "path").text == cache + "\n")
    #expect(try await command.run("cache", "stats").text.contains("size       0 B of 2.1 GB"))
    #expect(try await command.run("run", "a.yaml").status == 0)
    #expect(FileManager.default.fileExists(atPath: cache))
  }

  @Test("has an index, locks and records that only the owner can read, whatever its own mode")
  func modes() async throws {
    try FileManager.default.createDirectory(
      atPath: cache, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    try command.write("imagemill: 1\njobs: [{source: missing.png, output: b.png}]", to: "a.yaml")
    #expect(try await command.run("run", "a.yaml").status == 1)
    try expectPrivate()
    // As an earlier version left it.
    for name in ["index.sqlite", "index.lock", "last"] {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: cache + "/" + name)
    }
    #expect(try await command.run("run", "a.yaml").status == 1)
    try expectPrivate()
  }

  private func expectPrivate() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: cache)
    #expect(names.contains("index.sqlite") && names.contains("last"), "\(names)")
    for name in names where name != "CACHEDIR.TAG" {
      let attributes = try FileManager.default.attributesOfItem(atPath: cache + "/" + name)
      let mode = try #require(attributes[.posixPermissions] as? Int)
      #expect(mode & 0o077 == 0, "\(name) has the mode \(String(mode, radix: 8))")
    }
  }

  @Test("has responses that --max-bytes refuses as it does new ones")
  func limit() async throws {
    let image = PNGImage.bytes(width: 400, height: 300, seed: 3)
    let server = try LoopbackServer { request in
      let freshness = request.path == "/fresh.png" ? "max-age=600" : "no-cache"
      return Page(image, type: "image/png", fields: [("Cache-Control", freshness), ("ETag", "\"1\"")])
    }
    for name in ["fresh", "stale"] {
      let url = server.url("/\(name).png")
      let line = ["convert", "--allow-net", "loopback", url, "\(name).png", "-f", "fit:20x20"]
      #expect(try await command.run(arguments: line).status == 0)
      for limit in ["100", "1"] {
        let refused = try await command.run(arguments: line + ["--max-bytes", limit])
        #expect(
          refused.status == 1 && refused.errors.contains("longer than \(limit) bytes"), "\(refused.errors)")
      }
      #expect(try await command.run(arguments: line + ["--max-bytes", "\(image.count)"]).status == 0)
    }
  }

  @Test("has sources whose hosts a plan refuses as the run would")
  func hosts() async throws {
    let server = try LoopbackServer { _ in
      Page(
        PNGImage.bytes(width: 40, height: 30), type: "image/png", fields: [("Cache-Control", "max-age=600")])
    }
    try command.write(
      "imagemill: 1\njobs: [{source: \"\(server.url("/a.png"))\", output: b.png}]", to: "a.yaml")
    for state in ["absent", "cached"] {
      let plan = try await command.run("plan", "a.yaml")
      #expect(plan.text.hasPrefix("refuse "), "\(state): \(plan.text)")
      #expect(plan.text.contains("--allow-net loopback"), "\(state): \(plan.text)")
      let allowed = try await command.run("plan", "--allow-net", "loopback", "a.yaml")
      #expect(!allowed.text.contains("refuse"), "\(state): \(allowed.text)")
      // No request is planned, so no host is refused.
      #expect(!(try await command.run("plan", "--offline", "a.yaml")).text.contains("loopback address"))
      #expect(try await command.run("run", "--allow-net", "loopback", "a.yaml").status == 0)
    }
  }
}
