import Foundation
import ImageFilters
import LoopbackServer
import TestSupport
import Testing

@testable import ImageRendering

@Suite("Worker processes", .timeLimit(.minutes(8)), .serialized)
struct WorkerPoolTests {
  private let fixture: WorkerFixture

  init() throws { fixture = try WorkerFixture() }

  @Test("render one request after another in one process a slot")
  func reuse() async throws {
    let pool = fixture.pool()
    for number in 1...5 {
      let request = try fixture.request("r\(number)", outputs: number)
      let response = try #require(await pool.render { request })
      #expect(response.outputs.map(\.id) == Array(0..<number))
      #expect(response.codes.allSatisfy { $0 == nil })
      for recipe in request.recipes {
        #expect(fixture.directory.names.contains("r\(number)-\(recipe.id).png"))
      }
    }
    #expect(await pool.workersStarted == 1)
    await pool.stop()
  }

  @Test("give what a thread gives, byte for byte")
  func sameAsThread() async throws {
    let pool = fixture.pool()
    let (one, other) = (try fixture.request("pool", outputs: 3), try fixture.request("thread", outputs: 3))
    let inProcess = try #require(await pool.render { one })
    let inThread = try #require(await ThreadRendering().render { other })
    #expect(inProcess.outputs == inThread.outputs)
    #expect(inProcess.source == inThread.source)
    await pool.stop()
  }

  /// What a worker may do when it is first started, and what becomes of its request.
  static let accidents: [(name: String, script: String)] = [
    ("ends before it has read anything", "exit 0"),
    ("fails before it has read anything", "exit 3"),
    ("is killed", "kill -KILL $$"),
    ("is killed by a fault", "kill -SEGV $$"),
    ("is killed in the middle of reading", "head -c 20 <&3 >/dev/null; kill -KILL $$"),
    ("closes its socket and lives on", "exec 3>&-; exec sleep 1000"),
    ("writes garbage", "head -c 4000 /dev/zero | tr '\\0' 'x' >&3; exec sleep 1000"),
    ("writes a frame of nothing", "printf '\\0\\0\\0\\0' >&3; exec sleep 1000"),
    ("writes half a frame", "printf '\\100\\0\\0\\0abc' >&3; exit 0"),
    ("says too much on standard error", "head -c 3000000 /dev/zero | timeout 5 cat >&2; exit 1"),
  ]

  @Test("that die are replaced, and their request is tried once more", arguments: accidents.indices)
  func replaced(index: Int) async throws {
    let accident = Self.accidents[index]
    let pool = fixture.pool(try fixture.worker(accident.script))
    let request = try fixture.request(outputs: 2)
    let response = try #require(await pool.render { request })
    #expect(response.codes == [nil, nil], "\(accident.name)")
    #expect(fixture.starts == 2, "\(accident.name)")
    #expect(await pool.workersStarted == 2)
    await pool.stop()
  }

  @Test("that were alone with a second attempt are not used again")
  func notReused() async throws {
    let pool = fixture.pool(try fixture.worker("exit 1"))
    for name in ["first", "second"] {
      let request = try fixture.request(name)
      let response = try #require(await pool.render { request })
      #expect(response.codes == [nil])
    }
    // One that dies, one for the second attempt alone, one for the next request.
    #expect(fixture.starts == 3)
    await pool.stop()
  }

  @Test(
    "that die twice fail every output of the request, with a code that says how",
    arguments: [
      ("kill -SEGV $$", "decoder-crashed"), ("kill -ABRT $$", "decoder-crashed"),
      ("exit 1", "decoder-crashed"),
      ("kill -KILL $$", "worker-killed"), ("kill -TERM $$", "worker-killed"),
      ("kill -XCPU $$", "worker-killed"), ("kill -USR1 $$", "worker-killed"),
      ("echo 'out of memory' >&2; kill -KILL $$", "worker-killed"),
      (
        "echo \"terminate called after throwing an instance of 'std::bad_alloc'\" >&2; kill -ABRT $$",
        "out-of-memory"
      ),
      ("echo 'GLib-ERROR: failed to allocate 123 bytes' >&2; kill -TRAP $$", "out-of-memory"),
      ("head -c 20 <&3 >/dev/null; echo 'out of memory' >&2; exit 1", "out-of-memory"),
    ])
  func diesTwice(script: String, code: String) async throws {
    let pool = fixture.pool(try fixture.worker(script, times: 2))
    let request = try fixture.request(outputs: 3)
    let response = try #require(await pool.render { request })
    #expect(response.outputs.map(\.id) == [0, 1, 2])
    #expect(response.codes == [code, code, code])
    #expect(fixture.starts == 2)
    // The next request isn't to blame for it.
    let next = try fixture.request("next")
    #expect(try #require(await pool.render { next }).codes == [nil])
    await pool.stop()
  }

  @Test("that are killed from outside fail their request for now, and not for the image")
  func temporary() async throws {
    for (script, isTemporary) in [("kill -KILL $$", true), ("kill -XCPU $$", true), ("kill -SEGV $$", false)]
    {
      let pool = fixture.pool(try fixture.script(script))
      let request = try fixture.request()
      let response = try #require(await pool.render { request })
      #expect(response.errors.map(\.isTemporary) == [isTemporary], "\(script)")
      await pool.stop()
    }
  }

  @Test("that don't reply in time are killed, and their request fails at once")
  func timeout() async throws {
    let pool = fixture.pool(
      try fixture.script("echo start >> '\(fixture.directory.path)/starts'; exec sleep 1000"),
      timeout: .seconds(3))
    let request = try fixture.request(outputs: 2)
    let response = try #require(await pool.render { request })
    #expect(response.codes == ["timed-out", "timed-out"])
    #expect(response.errors.allSatisfy { !$0.isTemporary })
    #expect(await pool.workersStarted == 1)
    await pool.stop()
  }

  @Test("that compute longer than they may have failed by themselves")
  func busy() async throws {
    // Alone it has a whole processor, and with others at least half of what it wants, or the failure is temporary.
    let pool = fixture.pool(try fixture.script("while :; do :; done"), timeout: .seconds(1))
    let request = try fixture.request()
    let response = await pool.render { request }
    let error = try #require(response?.errors.first)
    #expect(error.codeText == "timed-out")
    #expect(error.isTemporary == error.message.contains("less than half"))
    await pool.stop()
  }

  @Test("that are stopped are replaced; stopped again, they fail their request for now")
  func stopped() async throws {
    let pool = fixture.pool(try fixture.worker("kill -STOP $$"), timeout: .seconds(20))
    let request = try fixture.request(outputs: 2)
    let replaced = await pool.render { request }
    #expect(replaced?.codes == [nil, nil])
    #expect(fixture.starts == 2)
    await pool.stop()
    let other = fixture.pool(try fixture.script("kill -STOP $$"), timeout: .seconds(10))
    let response = try #require(await other.render { request })
    #expect(response.codes == ["worker-killed", "worker-killed"])
    #expect(response.errors.allSatisfy { $0.isTemporary })
    await other.stop()
  }

  @Test("that don't read a request that is longer than a socket's buffer are killed in time too")
  func longRequest() async throws {
    let pool = fixture.pool(try fixture.script("exec sleep 1000"), timeout: .milliseconds(300))
    var request = try fixture.request()
    let recipe = try #require(request.recipes.first)
    request.recipes = Array(repeating: recipe, count: 20_000)
    let long = request
    let response = try #require(await pool.render { long })
    #expect(response.codes.count == 20_000 && response.codes.allSatisfy { $0 == "timed-out" })
    await pool.stop()
  }

  @Test(
    "that can't be started are not tried again",
    arguments: ["/no/such/program", "/dev/null", "/"])
  func notStarted(executable: String) async throws {
    let pool = fixture.pool(executable)
    let request = try fixture.request(outputs: 2)
    let response = try #require(await pool.render { request })
    #expect(response.codes == ["worker-not-started", "worker-not-started"])
    #expect(await pool.workersStarted == 0)
    // The slot is free again.
    let again = try fixture.request()
    #expect(try #require(await pool.render { again }).codes == ["worker-not-started"])
    await pool.stop()
  }

  @Test("can't be sent a request that is too long: it fails, and the worker serves the next one")
  func tooLongRequest() async throws {
    let pool = fixture.pool()
    let first = try fixture.request("first")
    #expect(await pool.render { first }?.codes == [nil])
    var request = try fixture.request(outputs: 2)
    request.sourceName = String(repeating: "x", count: FramedSocket.longestFrame)
    let long = request
    #expect(await pool.render { long }?.codes == ["not-rendered", "not-rendered"])
    #expect(await pool.render { first }?.codes == [nil])
    #expect(await pool.workersStarted == 1)
    await pool.stop()
  }

  @Test("leave no process and no descriptor behind")
  func nothingLeft() async {
    // In a process of its own: the tests beside this one open descriptors and start processes too.
    await #expect(processExitsWith: .success) {
      let fixture = try WorkerFixture()
      func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      }
      let pids = fixture.directory["pids"]
      // The first pools may open what a process opens once.
      for round in 0..<2 {
        let before = try descriptors()
        for script in ["exit 1", "kill -KILL $$", ":"] {
          let pool = fixture.pool(
            try fixture.script("echo $$ >> '\(pids)'; \(script); exec '\(WorkerFixture.command)' \"$@\""))
          let request = try fixture.request("left-\(round)")
          _ = await pool.render { request }
          await pool.stop()
        }
        if round == 1 { try #require(try descriptors() < before + 3) }
      }
      let numbers = (fixture.directory.text("pids") ?? "").split(separator: "\n").compactMap { pid_t($0) }
      try #require(numbers.count == 10)
      for number in numbers {
        var status: Int32 = 0
        try #require(waitpid(number, &status, WNOHANG) == -1 && errno == ECHILD)
      }
    }
  }

  @Test("are at most as many as slots, each with one request at a time, while as many more are prepared")
  func slots() async throws {
    let pool = fixture.pool(slots: 3)
    let ended = Shared(0)
    let busy = Shared<Set<Int>>([])
    let (prepared, most) = (Shared(0), Shared(0))
    let (allPrepared, allBusy) = (Gate(), Gate())
    let fixture = self.fixture
    let responses = await withTaskGroup(of: RenderResponse?.self) { tasks in
      for number in 0..<12 {
        tasks.addTask {
          let slots = Shared<[Int]>([])
          let response = await pool.render {
            let count = prepared.change { count in
              count += 1
              return count
            }
            // No slot is needed to prepare as many requests as there are slots, and as many more.
            if count == 6 { allPrepared.open() }
            await allPrepared.passed()
            do { return try fixture.request("s\(number)") } catch {
              Issue.record(error)
              return nil
            }
          } onStart: { slot in
            let count = busy.change { busy in
              #expect(busy.insert(slot).inserted)
              return busy.count
            }
            most.change { $0 = max($0, count) }
            slots.change { $0.append(slot) }
            if count == 3 { allBusy.open() }
            await allBusy.passed()
            return true
          } onEnd: { slot in
            busy.change { _ = $0.remove(slot) }
          } afterwards: {
            ended.change { $0 += 1 }
          }
          #expect(slots.value.count == 1)
          return response
        }
      }
      return await tasks.reduce(into: [RenderResponse?]()) { $0.append($1) }
    }
    #expect(responses.count == 12 && ended.value == 12)
    #expect(responses.allSatisfy { $0?.codes == [nil] })
    #expect(most.value == 3)
    #expect(await pool.workersStarted <= 3)
    await pool.stop()
  }

  @Test("are not started for a request that is withdrawn, and its slot is free again")
  func withdrawn() async throws {
    let pool = fixture.pool()
    for _ in 0..<3 { #expect(await pool.render { nil } == nil) }
    #expect(await pool.workersStarted == 0)
    let request = try fixture.request()
    #expect(await pool.render { request }?.codes == [nil])
    await pool.stop()
  }

  @Test("take turns where a request needs more memory than its slot's share")
  func memory() async throws {
    let pool = fixture.pool(slots: 2, memory: 1 << 30)
    let fixture = self.fixture
    let granted = await withTaskGroup(of: RenderResponse?.self) { tasks in
      for number in 0..<6 {
        tasks.addTask {
          await pool.render {
            do {
              var request = try fixture.request("m\(number)")
              request.memoryEstimate = number % 2 == 0 ? 1 << 40 : nil
              return request
            } catch {
              Issue.record(error)
              return nil
            }
          }
        }
      }
      return await tasks.reduce(into: [RenderResponse?]()) { $0.append($1) }
    }
    #expect(granted.allSatisfy { $0?.codes == [nil] })
    await pool.stop()
  }

  @Test("fail a request with a program's own filter, and start no worker for it")
  func ownFilter() async throws {
    let pool = fixture.pool()
    var request = try fixture.request()
    request.recipes[0].chain = FilterChain(.circle, DynamicImageFilter("flip") { $0 })
    let failing = request
    let response = await pool.render { failing }
    #expect(response?.errors.map(\.code) == [.unknownFilter])
    #expect(response?.errors.allSatisfy { $0.message.contains("own filter") } == true)
    #expect(await pool.workersStarted == 0)
    await pool.stop()
  }

  @Test("a pool starts one worker ahead for each call, up to its slots, and requests use them")
  func ahead() async throws {
    let fixture = try WorkerFixture()
    let pool = fixture.pool(slots: 2)
    for started in [1, 2, 2] {
      await pool.startAhead()
      #expect(await pool.workersStarted == started)
    }
    for number in 0..<3 {
      let request = try fixture.request("ahead\(number)")
      #expect(await pool.render { request }?.codes == [nil])
    }
    #expect(await pool.workersStarted == 2)
    await pool.stop()
    await pool.startAhead()
    #expect(await pool.workersStarted == 2)
  }
}
