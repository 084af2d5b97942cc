import ImageCaches
import ImageFilters
import Synchronization
import TestSupport
import Testing

@testable import ImageBatch
@testable import ImageDownloads
@testable import ImageRendering

@Suite("The step graph", .timeLimit(.minutes(8)))
struct StepGraphTests {
  private let store: DiskStore
  private let object: StoredObject

  init() throws {
    store = try DiskStore.ephemeral()
    let file = try store.makeTemporaryFile()
    let bytes = Array("bytes".utf8)
    try bytes.withUnsafeBytes { try file.write($0) }
    object = try store.insert(file, digest: ContentDigest(hashing: bytes))
  }

  // MARK: A world in memory

  /// Performs actions in the fixture's world, and notes them.
  private final class World: StepDriver {
    let fixture: StepGraphFixture
    /// Whether nothing is rendered or written, as in a plan.
    let isPlanning: Bool
    let actions = Mutex<[StepGraph.Action]>([])

    init(_ fixture: StepGraphFixture, isPlanning: Bool) {
      self.fixture = fixture
      self.isPlanning = isPlanning
    }

    func perform(_ action: StepGraph.Action) async -> StepGraph.Event? {
      actions.withLock { $0.append(action) }
      switch action {
      case .download(let position, let source, _):
        return .downloaded(position, fixture.download(source, isOffline: isPlanning))
      case .findFailure(let source): return .failureFound(fixture.failure(of: source))
      case .downloadAuxiliary: return .auxiliaryDownloaded(AuxiliarySources([:]))
      case .findOutputs(let keys): return .outputsFound(.success(fixture.known(keys)))
      case .inspectPlaces(let outputs, let known): return .placesInspected(fixture.survey(outputs, known))
      case .render(let rendering): return isPlanning ? nil : .rendered(fixture.render(rendering))
      case .place(let index, let output, let made, var result):
        guard !isPlanning else { return nil }
        result.path = output.path
        result.status = made.isNew ? .written : .cached
        return .placed(index, result, at: 0)
      default: return nil
      }
    }

    func run() async -> StepGraph {
      var graph = StepGraph(fixture.group, fixture.configuration)
      await drive(&graph, [.begun])
      return graph
    }
  }

  private static func results(_ actions: [StepGraph.Action]) -> [[JobResult]] {
    actions.compactMap { if case .finish(let results) = $0 { results } else { nil } }
  }

  private static func ends(_ actions: [StepGraph.Action]) -> Int {
    actions.reduce(0) { count, action in
      switch action {
      case .finish, .skip: count + 1
      default: count
      }
    }
  }

  /// Bytes that were counted as waiting and not released.
  private static func heldBytes(_ actions: [StepGraph.Action]) -> Int {
    actions.reduce(0) { bytes, action in
      switch action {
      case .hold(let count): bytes + count
      case .release(let count): bytes - count
      default: bytes
      }
    }
  }

  // MARK: Properties

  @Test("decides in a plan what it decides in a run, for 10,000 random groups, stores and places")
  func planIsRun() async throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    var decisions = 0
    let groups = try (0..<300).map { _ in try StepGraphFixture.Prepared(&random) }
    for round in 0..<10_000 {
      var fixture = StepGraphFixture(groups[round % groups.count], &random, object: object)
      // What a plan can't know: it takes everything as stored.
      for source in fixture.sources.keys { fixture.sources[source]?.isStored = true }
      for source in fixture.sources.keys { fixture.sources[source]?.isDamaged = false }
      if fixture.group.isProgressive { continue }
      let (planner, scheduler) = (World(fixture, isPlanning: true), World(fixture, isPlanning: false))
      let plan = await planner.run()
      let run = await scheduler.run()
      try #require(run.isFinished, "seed \(seed)")
      let results = Self.results(scheduler.actions.withLock(\.self)).flatMap { $0 }.flatMap(\.outputs)
      guard let decided = plan.decided else {
        #expect(results.allSatisfy { $0.status == .failed }, "seed \(seed)")
        continue
      }
      #expect(decided.source.digest == run.decided?.source.digest, "seed \(seed)")
      try #require(decided.outputs.count == results.count, "seed \(seed)")
      for (output, result) in zip(decided.outputs, results) {
        decisions += 1
        let isFailing = output.key.map(fixture.failing.contains) ?? false
        let wanted: OutputResult.Status =
          switch output.state {
          case .failed: .failed
          case .inPlace: .unchanged
          case .kept: .kept
          case .stored: .cached
          case .wanted: isFailing ? .failed : .written
          case .unknown: .failed
          }
        #expect(result.status == wanted, "seed \(seed)")
      }
    }
    #expect(decisions > 5_000)
  }

  @Test("ends once, with a result for each output, whatever fails", arguments: [false, true])
  func ends(isProgressive: Bool) async throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    let groups = try (0..<300).map { _ in try StepGraphFixture.Prepared(&random) }
      .filter { $0.group.isProgressive == isProgressive }
    for round in 0..<2_000 {
      let fixture = StepGraphFixture(groups[round % groups.count], &random, object: object)
      let world = World(fixture, isPlanning: false)
      let graph = await world.run()
      let actions = world.actions.withLock(\.self)
      #expect(graph.isFinished && graph.attempt == nil, "seed \(seed)")
      #expect(Self.ends(actions) == 1 && Self.heldBytes(actions) == 0, "seed \(seed)")
      for results in Self.results(actions) {
        #expect(results.map(\.outputs.count) == fixture.group.jobs.map(\.outputs.count), "seed \(seed)")
      }
      // No source is downloaded twice, and no key rendered twice of one source.
      let downloads = actions.compactMap {
        if case .download(let position, _, _) = $0 { position } else { nil }
      }
      #expect(Set(downloads).count == downloads.count, "seed \(seed)")
      for case .render(let rendering) in actions {
        #expect(Set(rendering.keys).count == rendering.keys.count, "seed \(seed)")
      }
    }
  }

  @Test("takes 100,000 random events in any order: it ends at most once, and holds nothing afterwards")
  func anyOrder() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    var events = 0
    let groups = try (0..<300).map { _ in try StepGraphFixture.Prepared(&random) }
    while events < 100_000 {
      guard let group = groups.randomElement(using: &random) else { break }
      let fixture = StepGraphFixture(group, &random, object: object)
      var graph = StepGraph(fixture.group, fixture.configuration)
      var actions = graph.handle(.begun, now: 0)
      for step in 1...40 {
        events += 1
        actions += graph.handle(event(fixture, actions, &random), now: Double(step))
        if graph.isFinished { break }
      }
      actions += graph.handle(.stopped, now: 41)
      #expect(graph.isFinished && Self.ends(actions) == 1, "seed \(seed)")
      #expect(Self.heldBytes(actions) == 0, "seed \(seed)")
      #expect(
        graph.handle(.begun, now: 42).isEmpty && graph.handle(.stopped, now: 42).isEmpty, "seed \(seed)")
    }
  }

  /// Any event: often one that answers an action, sometimes one that nobody has asked for.
  private func event(
    _ fixture: StepGraphFixture, _ actions: [StepGraph.Action], _ random: inout SeededRandom
  ) -> StepGraph.Event {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return .failureFound(Bool.random(using: &random) ? .cancelled : nil)
    case 1: return .auxiliaryDownloaded(AuxiliarySources([:]))
    case 2: return .outputsFound(.failure(.cancelled))
    case 3:
      let result = OutputResult(
        index: 1, outputIndex: 0, source: "", status: .written, filter: "", format: "")
      return .placed(Int.random(in: -1...9, using: &random), result, at: 1)
    case 4:
      let position = Int.random(in: -1...4, using: &random)
      guard let source = fixture.sources.keys.randomElement(using: &random) else { return .stopped }
      return .downloaded(position, fixture.download(source, isOffline: Bool.random(using: &random)))
    default:
      switch actions.randomElement(using: &random) {
      case .download(let position, let source, _):
        return .downloaded(position, fixture.download(source, isOffline: false))
      case .findFailure(let source): return .failureFound(fixture.failure(of: source))
      case .findOutputs(let keys): return .outputsFound(.success(fixture.known(keys)))
      case .inspectPlaces(let outputs, let known): return .placesInspected(fixture.survey(outputs, known))
      case .render(let rendering): return .rendered(fixture.render(rendering))
      case .place(let index, _, _, let result): return .placed(index, result, at: 7)
      default: return .rendered([:])
      }
    }
  }

  // MARK: Transitions

  private func job(_ sources: Int, placeholder: Bool = false, isProgressive: Bool = false) throws -> JobGroup
  {
    var job = Job(
      index: 1, sources: try (0..<sources).map { try ImageSource(parsing: "http://a.example/\($0).png") },
      outputs: [
        JobOutput(
          template: try OutputTemplate(parsing: "o.png"), chain: try FilterChain(parsing: "flip"),
          encoding: try Encoding(resolving: EncodingSettings(), pathExtension: "png"))
      ])
    job.isProgressive = isProgressive
    if placeholder { job.placeholder = try ImageSource(parsing: "/placeholder.png") }
    return JobGroup(job)
  }

  private func stored(_ source: ImageSource) -> StoredSource {
    StoredSource(
      digest: StepGraphFixture.digest(source), path: "/dev/null", byteCount: 100, disposition: .hit,
      displayText: source.displayText)
  }

  private let failed = DownloadError(.httpStatus, "404", source: "http://a.example/0.png")

  /// Actions by their names.
  private func names(_ actions: [StepGraph.Action]) -> [String] {
    actions.map { String("\($0)".prefix { $0 != "(" }) }
  }

  @Test("one source goes through every stage, and stages without work are passed over")
  func stages() throws {
    var graph = StepGraph(try job(1), BatchConfiguration())
    let source = stored(graph.group.key.sources[0])
    #expect(names(graph.handle(.begun, now: 1)) == ["download"])
    #expect(names(graph.handle(.downloaded(0, .success(source)), now: 2)) == ["use", "hold", "findOutputs"])
    #expect(names(graph.handle(.outputsFound(.success([:])), now: 3)) == ["inspectPlaces"])
    #expect(names(graph.handle(.placesInspected(OutputWriter.Survey()), now: 4)) == ["render"])
    let key = try #require(graph.rendering?.keys.first)
    let image = RenderedFile(format: .png, width: 1, height: 1, frames: 1, bytes: 1, digest: key)
    let made = EncodedOutput(image: image, object: object, isNew: true)
    let placing = graph.handle(.rendered([key: .success(made)]), now: 5)
    #expect(names(placing) == ["recordSource", "place"])
    guard case .place(let index, _, _, var result)? = placing.last else { return }
    result.status = .written
    let end = graph.handle(.placed(index, result, at: 7), now: 8)
    #expect(names(end) == ["release", "finish"] && graph.isFinished)
    #expect(Self.results(end)[0][0].outputs[0].seconds == 6)
    #expect(graph.handle(.placed(index, result, at: 7), now: 9).isEmpty)
  }

  @Test("the next source is tried when one fails, then the placeholder, then nothing")
  func alternatives() throws {
    var graph = StepGraph(try job(2, placeholder: true), BatchConfiguration())
    _ = graph.handle(.begun, now: 0)
    guard case .download(1, _, _)? = graph.handle(.downloaded(0, .failure(failed)), now: 0).first else {
      Issue.record("the second source isn't tried")
      return
    }
    let checking = graph.handle(.downloaded(1, .success(stored(graph.group.key.sources[1]))), now: 0)
    #expect(names(checking) == ["use", "findFailure"])
    let next = graph.handle(.failureFound(JobError(code: .corrupt, stage: .decode, message: "")), now: 0)
    guard case .download(2, let source, nil)? = next.first else {
      Issue.record("the placeholder isn't tried")
      return
    }
    #expect(source == graph.group.key.placeholder)
    let end = graph.handle(.downloaded(2, .failure(failed)), now: 0)
    #expect(names(end) == ["finish"])
    #expect(Self.results(end)[0][0].outputs[0].error?.message.contains("; then ") == true)
  }

  @Test("nothing of a source that can't be decoded is placed where there is another")
  func damaged() throws {
    var graph = StepGraph(try job(2), BatchConfiguration())
    let source = stored(graph.group.key.sources[0])
    _ = graph.handle(.begun, now: 0)
    _ = graph.handle(.downloaded(0, .success(source)), now: 0)
    _ = graph.handle(.failureFound(nil), now: 0)
    _ = graph.handle(.outputsFound(.success([:])), now: 0)
    _ = graph.handle(.placesInspected(OutputWriter.Survey()), now: 0)
    let key = try #require(graph.rendering?.keys.first)
    let error = JobError(code: .corrupt, stage: .decode, message: "damaged")
    #expect(
      names(graph.handle(.rendered([key: .failure(error)]), now: 0)) == [
        "recordFailure", "release", "download",
      ])
  }

  @Test("of versions the best is placed last, and none that is no better than what is in place")
  func progressive() throws {
    var graph = StepGraph(try job(3, isProgressive: true), BatchConfiguration())
    #expect(names(graph.handle(.begun, now: 0)) == ["download", "download", "download"])
    let sources = graph.group.key.sources
    _ = graph.handle(.downloaded(1, .success(stored(sources[1]))), now: 0)
    // While an attempt is under way, others wait.
    #expect(graph.handle(.downloaded(0, .success(stored(sources[0]))), now: 0).isEmpty)
    #expect(graph.attempt?.position == 1)
    _ = graph.handle(.failureFound(nil), now: 0)
    var survey = OutputWriter.Survey()
    survey.inPlace = [0]
    _ = graph.handle(.outputsFound(.success([:])), now: 0)
    _ = graph.handle(.placesInspected(survey), now: 0)
    #expect(graph.best?.position == 1 && graph.attempt == nil && !graph.isFinished)
    let last = graph.handle(.downloaded(2, .failure(failed)), now: 0)
    #expect(names(last) == ["warn", "finish"])
  }

  @Test("an output costs the same however many there are", arguments: [1_000, 30_000])
  func manyOutputs(count: Int) throws {
    var group = try job(1)
    group.jobs[0].outputs = Array(repeating: group.jobs[0].outputs[0], count: count)
    var graph = StepGraph(group, BatchConfiguration())
    _ = graph.handle(.begun, now: 0)
    _ = graph.handle(.downloaded(0, .success(stored(group.key.sources[0]))), now: 0)
    _ = graph.handle(.outputsFound(.success([:])), now: 0)
    _ = graph.handle(.placesInspected(OutputWriter.Survey()), now: 0)
    let key = try #require(graph.rendering?.keys.first)
    let image = RenderedFile(format: .png, width: 1, height: 1, frames: 1, bytes: 1, digest: key)
    let made = EncodedOutput(image: image, object: object, isNew: true)
    var last: [StepGraph.Action] = []
    for case .place(let index, _, _, let result) in graph.handle(.rendered([key: .success(made)]), now: 0) {
      last = graph.handle(.placed(index, result, at: Double(index)), now: Double(count))
    }
    let results = Self.results(last).flatMap { $0 }.flatMap(\.outputs)
    #expect(results.count == count && results[count / 2].seconds == Double(count / 2))
  }

  @Test("a version that fails after a better one is in place is no failure")
  func lateFailure() throws {
    var graph = StepGraph(try job(2, isProgressive: true), BatchConfiguration())
    _ = graph.handle(.begun, now: 0)
    _ = graph.handle(.downloaded(1, .success(stored(graph.group.key.sources[1]))), now: 0)
    _ = graph.handle(.failureFound(nil), now: 0)
    _ = graph.handle(.outputsFound(.success([:])), now: 0)
    var survey = OutputWriter.Survey()
    survey.inPlace = [0]
    _ = graph.handle(.placesInspected(survey), now: 0)
    #expect(names(graph.handle(.downloaded(0, .failure(failed)), now: 0)) == ["finish"])
  }

  @Test("a cancelled download is no failure: nothing is reported of its jobs")
  func cancelled() throws {
    var graph = StepGraph(try job(2, placeholder: true), BatchConfiguration())
    _ = graph.handle(.begun, now: 0)
    let error = DownloadError(.cancelled, "", source: "")
    #expect(names(graph.handle(.downloaded(0, .failure(error)), now: 0)) == ["skip"])
  }
}
