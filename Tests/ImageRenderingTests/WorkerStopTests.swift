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
    #expect(await pool.render { request } == nil)
    #expect(await pool.workersStarted == 0)
    await pool.stop()
  }

  @Test("withdraws who isn't prepared, and cancels who is prepared or rendered")
  func whileBusy() async throws {
    let started = fixture.directory["starts"]
    let pool = fixture.pool(try fixture.script("echo start >> '\(started)'; exec sleep 1000"))
    let request = try fixture.request(outputs: 2)
    let prepared = Gate()
    let rendering = Task {
      await pool.render {
        prepared.open()
        return request
      }
    }
    await prepared.passed()
    let (preparedNext, hasSlot) = (Shared(0), Shared(0))
    let next = Gate()
    let waiting = (0..<4).map { _ in
      Task {
        await pool.render {
          let count = preparedNext.change { count in
            count += 1
            return count
          }
          if count == 2 { next.open() }
          return request
        } onStart: { _ in
          hasSlot.change { $0 += 1 }
          return true
        } onEnd: { _ in
        } afterwards: {
        }
      }
    }
    // The request is on its way to the worker when the worker runs.
    while fixture.starts == 0 { try await Task.sleep(for: .milliseconds(2)) }
    await next.passed()
    await pool.stop()
    let response = try #require(await rendering.value)
    #expect(response.codes == ["cancelled", "cancelled"])
    let responses = await withTaskGroup(of: RenderResponse?.self) { tasks in
      for task in waiting { tasks.addTask { await task.value } }
      return await tasks.reduce(into: [RenderResponse]()) { if let response = $1 { $0.append(response) } }
    }
    // Two requests are prepared beside the one that is rendered.
    #expect(responses.map(\.codes) == [["cancelled", "cancelled"], ["cancelled", "cancelled"]])
    #expect(preparedNext.value == 2)
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
        await pool.render {
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
    #expect(await pool.render { request }?.codes == [nil])
    async let one: Void = pool.stop()
    async let other: Void = pool.stop()
    _ = await (one, other)
    #expect(await pool.render { request } == nil)
  }

  @Test("a thread renders one request at a time, in a slot that it always has")
  func thread() async throws {
    let rendering = ThreadRendering()
    #expect(rendering.slots == 1)
    let requests = try (0..<4).map { try fixture.request("t\($0)") }
    await withTaskGroup(of: Void.self) { tasks in
      for request in requests {
        tasks.addTask {
          let response = await rendering.render {
            request
          } onStart: {
            #expect($0 == 0)
            return true
          } onEnd: {
            #expect($0 == 0)
          } afterwards: {
          }
          #expect(response?.codes == [nil])
        }
      }
    }
    #expect(await rendering.render { nil } == nil)
    await rendering.stop()
  }
}
