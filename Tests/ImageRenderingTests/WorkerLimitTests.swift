import Glibc
import Testing

@testable import ImageRendering

/// The limits of resources that a worker sets for itself, and the codes of requests that reach them.
@Suite("The limits of workers", .timeLimit(.minutes(8)))
struct WorkerLimitTests {
  private let fixture: WorkerFixture

  init() throws { fixture = try WorkerFixture() }

  private func errors(_ pool: WorkerPool, _ name: String) async throws -> [RenderError] {
    let request = try fixture.request(name)
    return try #require(await pool.render { request }).errors
  }

  @Test("a request that computes too long ends by its processor time, at once, and others go on")
  func processorTime() async throws {
    let script = try fixture.script(
      "echo start >> '\(fixture.directory.path)/starts'\n"
        + "IMAGEMILL_TEST_WORKER=spin:evil exec '\(WorkerFixture.command)' \"$@\"")
    var configuration = WorkerConfiguration(
      slots: 1, executable: script, timeout: .seconds(400), memory: 1 << 30)
    configuration.processorTime = .seconds(1)
    let pool = WorkerPool(configuration)
    let error = try #require(try await errors(pool, "evil").first)
    #expect(error.code == .processorTime && !error.isTemporary, "\(error)")
    #expect(error.reason == .time(limit: .seconds(400)))
    #expect(fixture.starts == 1)
    // More requests than the limit would allow if it were the process's.
    for _ in 0..<20 { #expect(try await errors(pool, "good") == []) }
    #expect(fixture.starts == 2)
    await pool.stop()
  }

  @Test("a signal of the processor time's limit from outside is no fault of the image")
  func foreignSignal() async throws {
    let pool = fixture.pool(try fixture.worker("kill -s XCPU $$", times: 2))
    let error = try #require(try await errors(pool, "one").first)
    #expect(error.code == .workerKilled && error.isTemporary, "\(error)")
    await pool.stop()
  }

  @Test("a worker that the limit of file sizes ends fails its request by name, and isn't tried again")
  func fileSize() async throws {
    let pool = fixture.pool(try fixture.worker("kill -s XFSZ $$", times: 2))
    let error = try #require(try await errors(pool, "one").first)
    #expect(error.code == .fileSize && error.stage == .write && !error.isTemporary, "\(error)")
    #expect(fixture.starts == 1)
    await pool.stop()
  }

  @Test("the time on all processors is what a request may use, so that its timeout comes first")
  func standard() {
    var configuration = WorkerConfiguration(timeout: .seconds(10))
    #expect(configuration.processorTime >= configuration.timeout)
    configuration.processorTime = .seconds(3)
    #expect(configuration.processorTime == .seconds(3))
  }
}
