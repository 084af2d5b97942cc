import ImageCaches
import ImageFilters
import Testing

@testable import ImageBatch
@testable import ImageDownloads
@testable import ImageRendering

@Suite("The step graph", .timeLimit(.minutes(8)))
struct StepGraphTests {
  private let store: DiskStore
  private let object: StoredObject

  init() throws { (store, object) = try StepGraphFixture.storedObject() }

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
    #expect(StepGraphFixture.results(end)[0][0].outputs[0].seconds == 6)
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
    #expect(names(checking) == ["recordArrival", "use", "findFailure"])
    let next = graph.handle(.failureFound(JobError(code: .corrupt, stage: .decode, message: "")), now: 0)
    guard case .download(2, let source, nil)? = next.first else {
      Issue.record("the placeholder isn't tried")
      return
    }
    #expect(source == graph.group.key.placeholder)
    let end = graph.handle(.downloaded(2, .failure(failed)), now: 0)
    #expect(names(end) == ["finish"])
    #expect(StepGraphFixture.results(end)[0][0].outputs[0].error?.message.contains("; then ") == true)
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
    #expect(names(graph.handle(.downloaded(0, .success(stored(sources[0]))), now: 0)) == ["recordArrival"])
    #expect(graph.attempt?.position == 1)
    _ = graph.handle(.failureFound(nil), now: 0)
    var survey = OutputWriter.Survey()
    survey.inPlace = [0]
    _ = graph.handle(.outputsFound(.success([:])), now: 0)
    _ = graph.handle(.placesInspected(survey), now: 0)
    #expect(graph.best?.position == 1 && graph.attempt == nil && !graph.isFinished)
    let last = graph.handle(.downloaded(2, .failure(failed)), now: 0)
    #expect(names(last) == ["recordSource", "warn", "finish"])
  }

  @Test("a version waits for a better one that may be in its place already, and is used if that one fails")
  func postponed() throws {
    var graph = StepGraph(try job(2, isProgressive: true), BatchConfiguration())
    let sources = graph.group.key.sources
    _ = graph.handle(.begun, now: 0)
    _ = graph.handle(.downloaded(0, .success(stored(sources[0]))), now: 0)
    _ = graph.handle(.failureFound(nil), now: 0)
    _ = graph.handle(.outputsFound(.success([:])), now: 0)
    var survey = OutputWriter.Survey()
    survey.occupied = [0]
    #expect(names(graph.handle(.placesInspected(survey), now: 0)) == ["release"])
    #expect(graph.attempt == nil && !graph.isFinished)
    var other = graph
    // Stopped by the user, a run must not put the worse version in place of the better one.
    let cancelled = DownloadError(.cancelled, "", source: "")
    #expect(names(other.handle(.downloaded(1, .failure(cancelled)), now: 0)) == ["skip"])
    other = graph
    let better = other.handle(.downloaded(1, .success(stored(sources[1]))), now: 0)
    #expect(names(better) == ["recordArrival", "use", "findFailure"] && other.attempt?.position == 1)
    #expect(names(graph.handle(.downloaded(1, .failure(failed)), now: 0)) == ["findFailure"])
    _ = graph.handle(.failureFound(nil), now: 0)
    _ = graph.handle(.outputsFound(.success([:])), now: 0)
    #expect(names(graph.handle(.placesInspected(survey), now: 0)) == ["render"])
  }

  @Test("a better version that has arrived goes before a worse one that isn't in place yet")
  func overtaken() throws {
    var graph = StepGraph(try job(3, isProgressive: true), BatchConfiguration())
    let sources = graph.group.key.sources
    _ = graph.handle(.begun, now: 0)
    _ = graph.handle(.downloaded(0, .success(stored(sources[0]))), now: 0)
    _ = graph.handle(.failureFound(nil), now: 0)
    _ = graph.handle(.outputsFound(.success([:])), now: 0)
    _ = graph.handle(.downloaded(1, .success(stored(sources[1]))), now: 0)
    _ = graph.handle(.downloaded(2, .success(stored(sources[2]))), now: 0)
    let next = graph.handle(.placesInspected(OutputWriter.Survey()), now: 0)
    #expect(names(next) == ["release", "use", "findFailure"] && graph.attempt?.position == 2)
  }

  @Test("a source that a lock file refuses ends the group: no other source replaces it")
  func refused() throws {
    var lock = LockFile()
    var group = try job(2, placeholder: true)
    for source in group.key.sources {
      lock.sources[source.displayText] = LockFile.Source()
      lock.sources[source.displayText]?.sha256 = StepGraphFixture.digest(source).hex
    }
    var configuration = BatchConfiguration()
    configuration.frozen = FrozenSources(lock, path: "l")
    var graph = StepGraph(group, configuration)
    guard case .download(0, _, let digest)? = graph.handle(.begun, now: 0).first else { return }
    #expect(digest == StepGraphFixture.digest(group.key.sources[0]))
    var mismatch = DownloadError(.digestMismatch, "", source: "http://a.example/0.png")
    mismatch.foundDigest = ContentDigest(of: "now")
    let end = graph.handle(.downloaded(0, .failure(mismatch)), now: 0)
    #expect(names(end) == ["finish"])
    let error = StepGraphFixture.results(end)[0][0].outputs[0].error
    #expect(error?.reason == .lockFile && error?.foundDigest == ContentDigest(of: "now"))

    // Versions are all compared before anything is written.
    group = try job(2, isProgressive: true)
    graph = StepGraph(group, configuration)
    _ = graph.handle(.begun, now: 0)
    let sources = group.key.sources
    #expect(names(graph.handle(.downloaded(0, .success(stored(sources[0]))), now: 0)) == ["recordArrival"])
    #expect(names(graph.handle(.downloaded(1, .failure(mismatch)), now: 0)) == ["finish"])
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
    let results = StepGraphFixture.results(last).flatMap { $0 }.flatMap(\.outputs)
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
    #expect(names(graph.handle(.downloaded(0, .failure(failed)), now: 0)) == ["recordSource", "finish"])
  }

  @Test("a cancelled download is no failure: nothing is reported of its jobs")
  func cancelled() throws {
    var graph = StepGraph(try job(2, placeholder: true), BatchConfiguration())
    _ = graph.handle(.begun, now: 0)
    let error = DownloadError(.cancelled, "", source: "")
    #expect(names(graph.handle(.downloaded(0, .failure(error)), now: 0)) == ["skip"])
  }
}
