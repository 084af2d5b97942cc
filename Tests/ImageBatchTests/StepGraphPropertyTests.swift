import ImageCaches
import Synchronization
import TestSupport
import Testing

@testable import ImageBatch
@testable import ImageDownloads
@testable import ImageRendering

@Suite("The step graph, with random groups and events", .timeLimit(.minutes(8)))
struct StepGraphPropertyTests {
  private let store: DiskStore
  private let object: StoredObject

  init() throws { (store, object) = try StepGraphFixture.storedObject() }

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
      let results = StepGraphFixture.results(scheduler.actions.withLock(\.self)).flatMap { $0 }.flatMap(
        \.outputs)
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
      for results in StepGraphFixture.results(actions) {
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
      guard let source = fixture.sourcesInOrder.randomElement(using: &random) else { return .stopped }
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
}
