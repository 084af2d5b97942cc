import LoopbackServer
import Testing

@testable import ImageRendering
import TestSupport

@Suite("A pool of workers that is stopped", .timeLimit(.minutes(8)))
struct WorkerStopTests {
  private let fixture: WorkerFixture

  init() throws { fixture = try WorkerFixture() }

  @Test("before it was started gives nothing, and starts nothing")
  func beforeStart() async throws {
    let pool = fixture.pool()
    await pool.stop()
    let request = try fixture.request()
    #expect(await pool.render { _ in request } == nil)
    #expect(await pool.workersStarted == 0)
    await pool.stop()
  }

  @Test("withdraws who waits for a slot, and cancels who is rendered")
  func whileBusy() async throws {
    let started = fixture.directory["starts"]
    let pool = fixture.pool(try fixture.script("echo start >> '\(started)'; exec sleep 1000"))
    let request = try fixture.request(outputs: 2)
    let prepared = Gate()
    let rendering = Task {
      await pool.render { _ in
        prepared.open()
        return request
      }
    }
    await prepared.passed()
    let hasSlot = Shared(0)
    let waiting = (0..<3).map { _ in
      Task {
        await pool.render { _ in
          hasSlot.change { $0 += 1 }
          return request
        }
      }
    }
    // The request is on its way to the worker when the worker runs.
    while fixture.starts == 0 { await Task.yield() }
    await pool.stop()
    let response = try #require(await rendering.value)
    #expect(response.codes == ["cancelled", "cancelled"])
    for task in waiting { #expect(await task.value == nil) }
    #expect(hasSlot.value == 0)
  }

  @Test("cancels who prepares a request, and who waits for memory")
  func whilePreparing() async throws {
    let pool = fixture.pool(try fixture.script("exec sleep 1000"), slots: 2, memory: 1000)
    let fixture = self.fixture
    let gate = Gate()
    let both = Gate()
    let arrived = Shared(0)
    let tasks = (0..<2).map { number in
      Task {
        await pool.render { _ in
          let count = arrived.change { count in
            count += 1
            return count
          }
          if count == 2 { both.open() }
          await gate.passed()
          do {
            var request = try fixture.request("p\(number)")
            request.memoryEstimate = 1000
            return request
          } catch {
            Issue.record(error)
            return nil
          }
        }
      }
    }
    await both.passed()
    // One of the two has all memory by now or soon, the other waits for it, or neither has come so far.
    gate.open()
    await pool.stop()
    for task in tasks { #expect(await task.value?.codes == ["cancelled"]) }
  }

  @Test("twice at once ends once")
  func twice() async throws {
    let pool = fixture.pool()
    let request = try fixture.request()
    #expect(await pool.render { _ in request }?.codes == [nil])
    async let one: Void = pool.stop()
    async let other: Void = pool.stop()
    _ = await (one, other)
    #expect(await pool.render { _ in request } == nil)
  }

  @Test("a thread renders one request at a time, in a slot that it always has")
  func thread() async throws {
    let rendering = ThreadRendering()
    #expect(rendering.slots == 1)
    let requests = try (0..<4).map { try fixture.request("t\($0)") }
    await withTaskGroup(of: Void.self) { tasks in
      for request in requests {
        tasks.addTask {
          let response = await rendering.render { slot in
            #expect(slot == 0)
            return request
          }
          #expect(response?.codes == [nil])
        }
      }
    }
    #expect(await rendering.render { _ in nil } == nil)
    await rendering.stop()
  }
}
