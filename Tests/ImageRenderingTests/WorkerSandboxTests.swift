import Foundation
import Glibc
import ImageFilters
import TestSupport
import Testing
import Vips

@testable import ImageRendering

/// What a worker whose decoder was taken over can't do.
@Suite("The sandbox of workers", .timeLimit(.minutes(8)), .enabled(if: WorkerSandbox.isComplete))
struct WorkerSandboxTests {
  private let fixture: WorkerFixture

  init() throws { fixture = try WorkerFixture() }

  /// A pool whose workers do something else with sources of the name `evil`.
  private func pool(_ action: String, _ sandbox: WorkerSandbox) throws -> WorkerPool {
    let script = try fixture.script(
      "IMAGEMILL_TEST_WORKER=\(action):evil exec '\(WorkerFixture.command)' \"$@\"")
    return WorkerPool(
      WorkerConfiguration(
        slots: 1, executable: script, timeout: .seconds(100), memory: 1 << 30, sandbox: sandbox))
  }

  /// - Parameter files: The paths of other jobs' files, which the source's name tells to a worker that was taken over.
  private func errors(_ pool: WorkerPool, _ name: String, _ files: [String] = []) async throws
    -> [RenderError]
  {
    var request = try fixture.request(name)
    request.sourceName = ([name] + files).joined(separator: " ")
    let named = request
    return try #require(await pool.render { named }).errors
  }

  /// Files of other jobs, and of the store.
  private func others() throws -> [String] {
    try ["other-source.png", "other-output.png", "index.sqlite"].map {
      try fixture.directory.write([1, 2, 3], to: $0)
      return fixture.directory[$0]
    } + [fixture.directory["source.png"]]
  }

  @Test(
    "refuses sockets, programs, signals, modes, users and files that aren't the job's",
    arguments: [WorkerSandbox.auto, .strict])
  func escape(sandbox: WorkerSandbox) async throws {
    let pool = try pool("escape", sandbox)
    let before = try others().map { try Data(contentsOf: URL(filePath: $0)) }
    // The second worker is another one.
    for _ in 0..<2 { #expect(try await errors(pool, "evil", others()) == []) }
    #expect(try others().map { try Data(contentsOf: URL(filePath: $0)) } == before)
    await pool.stop()
  }

  @Test("holds in all threads, also if libvips were to start its own at once")
  func threads() async throws {
    let script = try fixture.script(
      "VIPS_MAX_THREADS=6 IMAGEMILL_TEST_WORKER=escape:evil exec '\(WorkerFixture.command)' \"$@\"")
    let pool = WorkerPool(
      WorkerConfiguration(
        slots: 1, executable: script, timeout: .seconds(100), memory: 1 << 30, sandbox: .strict))
    #expect(try await errors(pool, "evil", others()) == [])
    await pool.stop()
  }

  @Test("is left out on request, and the same attempts succeed")
  func noSandbox() async throws {
    let pool = try pool("escape", .off)
    let error = try #require(try await errors(pool, "evil").first)
    #expect(error.code == .decoderCrashed)
    #expect(
      error.message.contains(
        "escaped: socket, local socket, change the mode, signal the parent, signal everyone, "
          + "have the kernel signal the parent, change the priority of the parent, change the user, run a program"
      ) && error.message.contains("open /etc/passwd, list the root, list the home directory")
        && error.message.contains("create a file outside") && error.message.contains("follow a symbolic link")
        && error.message.contains(
          "link a file out, move a file out, make a socket, make a pipe, make a directory"),
      "\(error.message)")
    await pool.stop()
  }

  @Test(
    "ends a worker for calls that no decoder needs, and fails that request alone",
    arguments: ["execute", "chroot"])
  func refused(action: String) async throws {
    let pool = try pool(action, .auto)
    #expect(try await errors(pool, "evil").map(\.codeText) == ["system-call-refused"])
    #expect(try await errors(pool, "good") == [])
    await pool.stop()
  }

  @Test("that can't be made is no reason to render without")
  func failure() async throws {
    let pool = WorkerPool(
      WorkerConfiguration(
        slots: 1, executable: try fixture.script("echo \"\(WorkerMain.sandboxFailure): no\" >&2; exit 1")))
    let error = try #require(try await errors(pool, "one").first)
    #expect(
      error.code == .workerNotStarted && error.message.hasSuffix("can't restrict the worker process: no"))
    await pool.stop()
  }
}
