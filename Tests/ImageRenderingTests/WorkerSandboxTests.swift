import Foundation
import Glibc
import ImageFilters
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

  private func errors(_ pool: WorkerPool, _ name: String) async throws -> [RenderError] {
    let request = try fixture.request(name)
    return try #require(await pool.render { request }).errors
  }

  @Test("refuses sockets, programs, signals, modes and users", arguments: [WorkerSandbox.auto, .strict])
  func escape(sandbox: WorkerSandbox) async throws {
    let pool = try pool("escape", sandbox)
    #expect(try await errors(pool, "evil") == [])
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
      ),
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
