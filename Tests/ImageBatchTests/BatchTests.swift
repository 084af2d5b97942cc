import Foundation
import Glibc
import ImageCaches
import ImageDownloads
import LoopbackServer
import TestSupport
import Testing

@testable import ImageBatch

@Suite("A batch", .timeLimit(.minutes(8)))
struct BatchTests {
  private let fixture: BatchFixture

  init() throws { fixture = try BatchFixture() }

  private func jobs(_ count: Int, outputs: Int = 1) throws -> [Job] {
    try (1...count).map { index in
      fixture.job(
        index, try fixture.image("in/\(index).png", seed: index),
        try (0..<outputs).map { try fixture.output("\(index)-\($0).png", chain: "crop:\($0 + 1)x2") })
    }
  }

  @Test("workers start with the first jobs of a new store, and not in a store that may have the outputs")
  func startsAhead() async throws {
    let directory = try TestDirectory("store")
    for isNew in [true, false] {
      let fixture = try BatchFixture(store: DiskStore(directory: directory["cache"]))
      let rendering = BatchFixture.CountingRendering()
      let jobs = try (0..<3).map {
        try fixture.job($0, fixture.image("\($0).png", seed: $0), [fixture.output("\($0).jpg")])
      }
      _ = try await fixture.run(jobs, rendering: rendering)
      #expect(rendering.startsAhead.value == (isNew ? 3 : 0))
    }
  }

  @Test("renders in the slots that there are, and says what it did")
  func slots() async throws {
    let rendering = BatchFixture.CountingRendering(slots: 3)
    let summary = try await fixture.run(try jobs(30, outputs: 2), rendering: rendering)
    #expect(summary.outputsWritten == 60 && summary.jobsDone == 30 && summary.decodes == 30)
    #expect(rendering.slotsUsed.value.isSubset(of: 0..<3))
    fixture.checkEvents(against: summary)
    #expect(Set(fixture.results.map(\.index)) == Set(1...30))
    for result in fixture.results { #expect(result.outputs.map(\.outputIndex) == [0, 1]) }
  }

  @Test("a second run does nothing, and a third one after a change what was changed")
  func again() async throws {
    let jobs = try jobs(6)
    _ = try await fixture.run(jobs)
    let rendering = BatchFixture.CountingRendering()
    let second = try await fixture.run(jobs, rendering: rendering)
    #expect(second.outputsUnchanged == 6 && rendering.sources.value.isEmpty)
    fixture.checkEvents(against: second)
    try fixture.directory.write("edited", to: "out/1-0.png")
    unlink(fixture.directory["out/2-0.png"])
    try fixture.image("in/3.png", seed: 99)
    let third = try await fixture.run(jobs, rendering: rendering)
    #expect(third.outputsFromCache == 2 && third.outputsWritten == 1 && third.outputsUnchanged == 3)
    #expect(rendering.sources.value.count == 1)
    fixture.checkEvents(against: third)
    let forced = try await fixture.run(jobs) { $0.force = true }
    #expect(forced.renderings == 6)
  }

  @Test("the window bounds what is under way, whatever it is")
  func window() async throws {
    for window in [1, 2, 7] {
      let summary = try await fixture.run(try jobs(12)) {
        $0.window = window
        $0.force = true
      }
      #expect(summary.jobsDone == 12)
    }
  }

  @Test("two outputs of one path and one content are both in place; of other content the second is refused")
  func conflicts() async throws {
    let source = try fixture.image("a.png", seed: 1)
    let other = try fixture.image("b.png", seed: 2)
    let summary = try await fixture.run([
      fixture.job(
        1, source,
        [
          try fixture.output("x.png"), try fixture.output("./x.png"),
          try fixture.output("x.png", chain: "flip"),
        ]),
      fixture.job(2, other, [try fixture.output("X.png"), try fixture.output("y/../x.png")]),
    ])
    fixture.checkEvents(against: summary)
    let codes = Dictionary(grouping: fixture.outputs, by: { $0.error?.codeText ?? "" }).mapValues(\.count)
    #expect(codes == ["": 3, "output-conflict": 2] || codes == ["": 2, "output-conflict": 3], "\(codes)")
    #expect(fixture.outputs.filter { $0.error != nil }.allSatisfy { $0.path == nil })
  }

  @Test("one bad source costs one job")
  func badSources() async throws {
    var all = try jobs(4)
    try fixture.directory.write("no image", to: "in/2.png")
    unlink(fixture.directory["in/3.png"])
    let summary = try await fixture.run(all)
    #expect(summary.jobsDone == 2 && summary.jobsFailed == 2 && !summary.allFailuresTemporary)
    fixture.checkEvents(against: summary)
    let stages = fixture.results.filter(\.failed).compactMap { $0.outputs.first?.error?.stage.rawValue }
    #expect(Set(stages) == ["decode", "read"])
    // The alternative is used instead, and what failed is said.
    for index in all.indices { all[index].sources.append(.file(fixture.directory["in/1.png"])) }
    let second = try await fixture.run(all) { $0.outputPath = self.fixture.directory["other"] }
    #expect(second.jobsDone == 4)
    #expect(fixture.warnings.count == 2)
  }

  @Test("a failed record is a failed job, and the rest goes on")
  func rejected() async throws {
    let rejected = JobResult(rejected: 2, text: "x,y", message: "no", location: nil)
    let good = try jobs(1)
    let summary = try await fixture.run(items: [
      .rejected(rejected), .group(JobGroup(good[0])), .rejected(rejected),
    ])
    #expect(summary.jobs == 3 && summary.jobsFailed == 2 && summary.jobsDone == 1)
    fixture.checkEvents(against: summary)
  }

  @Test("stops starting jobs after so many failures, and says how many were not started")
  func failureLimit() async throws {
    let missing = try (1...50).map {
      fixture.job($0, .file(fixture.directory["none/\($0).png"]), [try fixture.output("\($0).png")])
    }
    let summary = try await fixture.run(missing) {
      $0.failureLimit = 3
      $0.window = 1
      $0.knownJobs = 50
    }
    #expect(summary.jobsFailed >= 3 && summary.jobsFailed < 10)
    #expect(summary.jobs == 50 && summary.jobsNotStarted == 50 - summary.jobsFailed)
    #expect(fixture.results.count == summary.jobsFailed)
  }

  @Test("starts nothing after the failure that stops it, whatever the window", arguments: [1, 2, 3, 8])
  func nothingAfterStop(window: Int) async throws {
    let missing = try (1...50).map {
      fixture.job($0, .file(fixture.directory["none/\($0).png"]), [try fixture.output("\($0).png")])
    }
    let summary = try await fixture.run(missing) {
      $0.failureLimit = 3
      $0.window = window
      $0.knownJobs = 50
    }
    // Those that were under way when the last failure came.
    #expect(summary.jobsFailed >= 3 && summary.jobsFailed <= 3 + window - 1)
    #expect(summary.jobsNotStarted == 50 - summary.jobsFailed)
  }

  @Test("that is stopped ends what is under way, and reports nothing of the rest", arguments: [1, 3])
  func stopped(after: Int) async throws {
    let summary = try await fixture.run(try jobs(40), { $0.window = 2 }, stopAfter: after)
    fixture.checkEvents(against: summary)
    #expect(summary.jobsFailed == 0 && summary.jobsDone >= after && summary.jobsDone < 20)
    let files = fixture.directory.names.filter { $0.hasPrefix("out/") }
    #expect(files.count == summary.jobsDone, "nothing is half written")
  }

  @Test("that is stopped while everything waits for a slot renders nothing")
  func stoppedWaiting() async throws {
    let gate = Gate()
    let rendering = BatchFixture.CountingRendering(slots: 1, gate: gate)
    let jobs = try jobs(5)
    let fixture = self.fixture
    let task = Task { try await fixture.run(jobs, rendering: rendering) }
    while gate.arrivals == 0 { try await Task.sleep(for: .milliseconds(2)) }
    task.cancel()
    gate.open()
    let summary = try await task.value
    #expect(summary.outputsWritten == 0 && summary.jobsFailed == 0)
    #expect(summary.jobsDone == 0)
  }

  @Test("files that no run has made are kept where that is asked for")
  func kept() async throws {
    try fixture.directory.write("mine", to: "out/1-0.png")
    let summary = try await fixture.run(try jobs(2)) { $0.replacing.keepsForeignFiles = true }
    #expect(summary.outputsKept == 1 && summary.outputsWritten == 1 && summary.jobsFailed == 0)
    fixture.checkEvents(against: summary)
    #expect(fixture.directory.text("out/1-0.png") == "mine")
    #expect(fixture.warnings.count == 1)
  }

  @Test("never writes over a source, not even through a link")
  func sources() async throws {
    let source = try fixture.image("out/a.png", seed: 3)
    #expect(symlink("a.png", fixture.directory["out/link.png"]) == 0)
    let before = fixture.directory.text("out/a.png")
    let summary = try await fixture.run([
      fixture.job(
        1, source,
        [
          try fixture.output("a.png", chain: "flip"), try fixture.output("link.png", chain: "flip"),
          try fixture.output("c.png"),
        ])
    ])
    #expect(summary.outputsFailed == 2 && summary.outputsWritten == 1)
    #expect(fixture.directory.text("out/a.png") == before)
    let allowed = try await fixture.run([fixture.job(1, source, [try fixture.output("a.png", chain: "flip")])]
    ) {
      $0.replacing.allowsSources = true
    }
    #expect(allowed.outputsWritten == 1)
  }

  @Test("equal outputs of several groups are rendered once")
  func singleFlight() async throws {
    // Two files with equal bytes are two sources and one content.
    let jobs = try (1...8).map { index in
      fixture.job(
        index, try fixture.image("in/\(index).png", seed: 5),
        [try fixture.output("\(index).png", chain: "flip")])
    }
    let summary = try await fixture.run(jobs, rendering: BatchFixture.CountingRendering(slots: 8))
    #expect(summary.outputsWritten + summary.outputsFromCache == 8)
    #expect(summary.renderings <= 2, "those that came when the first was stored already found it")
  }

  @Test("what pruning removes is what an earlier run of the scope made and this one doesn't")
  func prune() async throws {
    let manifest = try fixture.directory.write("", to: "m.yaml")
    var jobs = try jobs(4)
    for index in jobs.indices { jobs[index].manifest = manifest }
    _ = try await fixture.run(jobs)
    let scope = OutputScope(manifest: manifest, directory: fixture.out, template: "")
    let summary = try await fixture.run(Array(jobs.prefix(2))) { $0.prunedScopes = [scope] }
    #expect(summary.outputsRemoved == 2)
    #expect(fixture.directory.names.filter { $0.hasPrefix("out/") } == ["out/1-0.png", "out/2-0.png"])
    // After a failure nothing is removed.
    jobs[1].sources = [.file("/none")]
    let failing = try await fixture.run(Array(jobs.prefix(2))) { $0.prunedScopes = [scope] }
    #expect(failing.outputsRemoved == 0 && fixture.warnings.count == 1)
  }

  @Test("a plan says what the next run does")
  func plans() async throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    let jobs = try jobs(8, outputs: 2)
    for round in 0..<6 {
      for job in 1...8 where round > 0 {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: try fixture.directory.write("edited", to: "out/\(job)-0.png")
        case 1: unlink(fixture.directory["out/\(job)-1.png"])
        case 2: try fixture.image("in/\(job).png", seed: 100 * round + job)
        default: break
        }
      }
      var configuration = BatchConfiguration()
      configuration.outputPath = fixture.out
      let downloader = ImageDownloader(store: fixture.store)
      let plan = await BatchPlanner(configuration, downloader: downloader, store: fixture.store).plan(
        JobGroup.grouping(jobs))
      await downloader.shutDown()
      let summary = try await fixture.run(jobs)
      fixture.checkEvents(against: summary)
      let actions = plan.totals.actions
      #expect(actions["keep", default: 0] == summary.outputsUnchanged, "seed \(seed), round \(round)")
      #expect(actions["copy", default: 0] == summary.outputsFromCache, "seed \(seed), round \(round)")
      #expect(actions["render", default: 0] == summary.outputsWritten, "seed \(seed), round \(round)")
      #expect(plan.totals.isExact && plan.totals.decodes == summary.decodes, "seed \(seed), round \(round)")
      #expect(plan.totals.renderings == summary.renderings && plan.totals.outputs == 16)
      #expect(plan.outOfDate.count == 16 - summary.outputsUnchanged)
    }
  }
}
