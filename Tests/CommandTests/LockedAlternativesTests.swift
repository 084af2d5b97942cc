import Foundation
import LoopbackServer
import Synchronization
import Testing

/// Lock files of jobs with several sources.
@Suite("The lock file of alternatives and versions", .timeLimit(.minutes(8)))
struct LockedAlternativesTests {
  private let command: CommandRun
  private let server: LoopbackServer
  private let pages = Pages()
  private let small = PNGImage.bytes(width: 30, height: 20, seed: 1)
  private let large = PNGImage.bytes(width: 60, height: 40, seed: 2)

  /// What the origin has, by path.
  private final class Pages: Sendable {
    let all = Mutex<[String: [UInt8]]>([:])

    subscript(path: String) -> [UInt8]? {
      get { all.withLock { $0[path] } }
      set { all.withLock { $0[path] = newValue } }
    }
  }

  init() throws {
    command = try CommandRun()
    server = try LoopbackServer { [pages] request in
      guard let bytes = pages[request.path] else { return .notFound }
      return Page(bytes, type: "image/png", fields: [("Cache-Control", "max-age=0")])
    }
    pages["/small.png"] = small
    pages["/large.png"] = large
  }

  private func write(_ paths: [String], _ keys: String = "") throws {
    let list = paths.map { "\"\(server.url($0))\"" }.joined(separator: ", ")
    try command.write(
      "imagemill: 1\njobs:\n  - {source: [\(list)], \(keys)output: a.png}\n", to: "m.yaml")
  }

  @discardableResult
  private func run(_ options: String...) async throws -> CommandRun.Outcome {
    try await command.run(
      ["run", "--allow-net", "loopback", "--retries", "0"] + options + ["m.yaml"])
  }

  private func lock() async throws {
    let outcome = try await run("--lock", "m.lock")
    try #require(outcome.status == 0, "\(outcome.errors)")
  }

  /// The digests of the lock file by the path of the source; an empty text for a source without one.
  private func digests() throws -> [String: String] {
    let lock = try #require(command.read("m.lock"))
    let json = try #require(try JSONSerialization.jsonObject(with: lock) as? [String: Any])
    let sources = try #require(json["sources"] as? [String: [String: Any]])
    return Dictionary(
      uniqueKeysWithValues: sources.map {
        ("/" + ($0.key as NSString).lastPathComponent, $0.value["sha256"] as? String ?? "")
      })
  }

  @Test("each version is compared with its own digest")
  func versions() async throws {
    try write(["/small.png", "/large.png"], "publish: progressive, ")
    try await lock()
    let made = try #require(command.read("a.png"))
    for options in [["--frozen"], ["--frozen", "--refresh"]] {
      let outcome = try await command.run(
        ["run", "--allow-net", "loopback", "--lock", "m.lock"] + options + ["m.yaml"])
      #expect(outcome.status == 0 && !outcome.errors.contains("another source failed"), "\(outcome.errors)")
      #expect(outcome.errors.contains("1 unchanged"), "\(outcome.errors)")
      #expect(command.read("a.png") == made)
    }
  }

  @Test(
    "a version with other bytes is refused, and nothing is written", arguments: ["/small.png", "/large.png"])
  func changedVersion(_ path: String) async throws {
    try write(["/small.png", "/large.png"], "publish: progressive, ")
    try await lock()
    let (made, locked) = (command.read("a.png"), try digests())
    pages[path] = PNGImage.bytes(width: 31, height: 21, seed: 3)
    let outcome = try await run("--lock", "m.lock", "--frozen", "--refresh")
    #expect(outcome.status == 3, "\(outcome.errors)")
    let digest = try #require(locked[path])
    #expect(
      outcome.errors.contains("@@ \(server.url(path)) @@\n-sha256 \(digest)\n+sha256 "), "\(outcome.errors)")
    #expect(
      outcome.errors.components(separatedBy: "@@ http").count == 2, "only one source: \(outcome.errors)")
    #expect(command.read("a.png") == made)
    try FileManager.default.removeItem(atPath: command.work + "/a.png")
    #expect(try await run("--lock", "m.lock", "--frozen", "--refresh").status == 3)
    #expect(command.read("a.png") == nil)
  }

  @Test("a first choice that has come into existence isn't in the lock file, for --frozen and for --check")
  func lateSource() async throws {
    try write(["/late.png", "/large.png"])
    try await lock()
    let made = command.read("a.png")
    #expect(try await run("--lock", "m.lock", "--frozen", "--refresh").status == 0)
    #expect(try await run("--check", "--lock", "m.lock").status == 0)
    pages["/late.png"] = small
    let frozen = try await run("--lock", "m.lock", "--frozen", "--refresh")
    #expect(frozen.status == 3 && frozen.errors.contains("isn't in the lock file"), "\(frozen.errors)")
    #expect(frozen.errors.contains("@@ \(server.url("/late.png")) @@\n+sha256 "), "\(frozen.errors)")
    #expect(command.read("a.png") == made)
    let checked = try await run("--check", "--lock", "m.lock")
    #expect(checked.status == 3, "\(checked.errors)")
    #expect(
      checked.errors.contains("\(server.url("/late.png")): the source is available now"), "\(checked.errors)")
    try await lock()
    #expect(try await run("--check", "--lock", "m.lock").status == 0)
    #expect(command.read("a.png") != made)
  }

  @Test("a source after the one in use is not asked for")
  func unusedSource() async throws {
    try write(["/large.png", "/small.png"])
    try await lock()
    #expect(try digests()["/small.png"] == "")
    #expect(try await run("--check", "--lock", "m.lock").status == 0)
    #expect(try await run("--lock", "m.lock", "--frozen", "--refresh").status == 0)
    #expect(server.count(of: "/small.png") == 0)
  }

  @Test("a source that can't be decoded is locked with its digest, and is no difference")
  func damaged() async throws {
    pages["/cut.png"] = Array(large.prefix(large.count / 2))
    try write(["/cut.png", "/small.png"])
    try await lock()
    #expect(try digests()["/cut.png"]?.count == 64)
    #expect(try await run("--check", "--lock", "m.lock").status == 0)
    let frozen = try await run("--lock", "m.lock", "--frozen", "--refresh")
    #expect(frozen.status == 0, "\(frozen.errors)")
    pages["/cut.png"] = large
    #expect(try await run("--check", "--lock", "m.lock").status == 3)
    #expect(try await run("--lock", "m.lock", "--frozen", "--refresh").status == 3)
  }

  @Test("a placeholder that wasn't needed is no difference; a used one is compared with its digest")
  func placeholder() async throws {
    try command.write(small, to: "p.png")
    try write(["/large.png"], "placeholder: ./p.png, ")
    try await lock()
    let unused = try await run("--check", "--lock", "m.lock")
    #expect(unused.status == 0, "\(unused.errors)")
    try write(["/none.png"], "placeholder: ./p.png, ")
    try await lock()
    #expect(try await run("--check", "--lock", "m.lock").status == 0)
    #expect(try await run("--lock", "m.lock", "--frozen").status == 0)
    try command.write(large, to: "p.png")
    let frozen = try await run("--lock", "m.lock", "--frozen")
    #expect(frozen.status == 3, "\(frozen.errors)")
  }

  @Test("an overlay with other bytes than the locked ones is refused")
  func overlay() async throws {
    try command.write(small, to: "logo.png")
    try write(["/large.png"], "filter: \"overlay:./logo.png\", ")
    try await lock()
    let made = command.read("a.png")
    #expect(try await run("--lock", "m.lock", "--frozen").status == 0)
    try command.write(PNGImage.bytes(width: 30, height: 20, seed: 3), to: "logo.png")
    let frozen = try await run("--lock", "m.lock", "--frozen")
    #expect(frozen.status == 3 && frozen.errors.contains("logo.png @@"), "\(frozen.errors)")
    #expect(command.read("a.png") == made)
  }

  @Test("a source that wasn't there when the lock was written is missing from it")
  func failedSource() async throws {
    try write(["/late.png"])
    #expect(try await run("--lock", "m.lock").status == 1)
    pages["/late.png"] = small
    let frozen = try await run("--lock", "m.lock", "--frozen", "--refresh")
    #expect(frozen.status == 3 && frozen.errors.contains("+ \(server.url("/late.png"))"), "\(frozen.errors)")
  }

  @Test("a mismatch of the manifest's own digest is a failure of the job, with and without --frozen")
  func ownDigest() async throws {
    let wrong = String(repeating: "ab", count: 32)
    try write(["/small.png"], "sha256: \(wrong), ")
    #expect(try await run("--lock", "m.lock").status == 1)
    let failed = try await run("--lock", "m.lock", "--frozen")
    #expect(failed.status == 1, "\(failed.errors)")
    #expect(
      failed.errors.contains("not the pinned \(wrong)") && !failed.errors.contains("@@"), "\(failed.errors)")
    try write(["/small.png"])
    try await lock()
    try write(["/small.png"], "sha256: \(wrong), ")
    let pinned = try await run("--lock", "m.lock", "--frozen")
    #expect(pinned.status == 1 && !pinned.errors.contains("@@"), "\(pinned.errors)")
  }

  @Test("a source that the manifest's digest allows is compared with the lock file too")
  func movedDigest() async throws {
    try write(["/small.png"])
    try await lock()
    pages["/small.png"] = large
    let digest = try await command.run(
      "inspect", "--json", "--allow-net", "loopback", server.url("/small.png"))
    let json = try #require(try JSONSerialization.jsonObject(with: digest.output) as? [String: Any])
    let sha256 = try #require(json["sha256"] as? String)
    try write(["/small.png"], "sha256: \(sha256), ")
    let frozen = try await run("--lock", "m.lock", "--frozen", "--refresh")
    #expect(frozen.status == 3 && frozen.errors.contains("+sha256 \(sha256)"), "\(frozen.errors)")
  }

  @Test("an alternative that the manifest's own digest refuses isn't missed in the lock file")
  func refusedAlternative() async throws {
    let digest = try await command.run(
      "inspect", "--json", "--allow-net", "loopback", server.url("/large.png"))
    let json = try #require(try JSONSerialization.jsonObject(with: digest.output) as? [String: Any])
    let sha256 = try #require(json["sha256"] as? String)
    try write(["/small.png", "/large.png"], "sha256: \(sha256), ")
    try await lock()
    let checked = try await run("--check", "--lock", "m.lock")
    #expect(checked.status == 0, "\(checked.errors)")
    let frozen = try await run("--lock", "m.lock", "--frozen", "--refresh")
    #expect(frozen.status == 0, "\(frozen.errors)")
  }

  @Test("an alternative that isn't locked doesn't replace a locked source that is gone")
  func goneSource() async throws {
    try write(["/large.png", "/small.png"])
    try await lock()
    let made = command.read("a.png")
    pages["/large.png"] = nil
    let frozen = try await run("--lock", "m.lock", "--frozen", "--refresh")
    #expect(frozen.status == 3 && command.read("a.png") == made, "\(frozen.errors)")
    for words in ["the server returned 404", "isn't in the lock file"] {
      #expect(frozen.errors.contains(words), "\(frozen.errors)")
    }
    let checked = try await run("--check", "--lock", "m.lock")
    #expect(checked.status == 3 && checked.errors.contains("can't be used any more"), "\(checked.errors)")
  }
}
