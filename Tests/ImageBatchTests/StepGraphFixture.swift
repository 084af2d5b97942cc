import ImageCaches
import ImageFilters
import TestSupport
import Testing

@testable import ImageBatch
@testable import ImageDownloads
@testable import ImageRendering

/// A random group of jobs, and a world in memory that it runs in: what is stored, what is in place, what fails.
struct StepGraphFixture: Sendable {
  /// What the world does with a source.
  struct SourceState: Sendable {
    /// Whether its bytes are in the store.
    var isStored: Bool
    /// How a download ends where they aren't.
    var error: DownloadError.Code?
    /// Whether an earlier run has recorded that it can't be decoded.
    var hasRecordedFailure: Bool
    /// Whether it can't be decoded.
    var isDamaged: Bool
  }

  let group: JobGroup
  var configuration = BatchConfiguration()
  var sources: [ImageSource: SourceState] = [:]
  /// Outputs, by key, that the store has.
  var stored: Set<ContentDigest> = []
  /// Paths with the right bytes.
  var inPlace: Set<String> = []
  /// Paths with files that are kept.
  var kept: Set<String> = []
  /// Paths of other jobs.
  var claimed: Set<String> = []
  /// Keys whose rendering fails.
  var failing: Set<ContentDigest> = []
  /// An object that stands for all that are stored.
  let object: StoredObject

  static func digest(_ source: ImageSource) -> ContentDigest {
    ContentDigest(hashing: source.displayText.utf8)
  }

  /// A group of 1 to 3 jobs that name 1 to 3 sources, some with a placeholder, some progressive.
  static func group(_ random: inout SeededRandom) throws -> JobGroup {
    let sources = try (0..<Int.random(in: 1...3, using: &random)).map {
      try ImageSource(parsing: "http://a.example/\($0).png")
    }
    let placeholder = Bool.random(using: &random) ? try ImageSource(parsing: "/placeholder.png") : nil
    let isProgressive = sources.count > 1 && Int.random(in: 0..<3, using: &random) == 0
    let encoding = try Encoding(resolving: EncodingSettings(), pathExtension: "png")
    var jobs: [Job] = []
    for index in 1...Int.random(in: 1...3, using: &random) {
      let outputs = try (0..<Int.random(in: 0...4, using: &random)).map { position in
        let chain = ["flip", "fit:20x20", "circle"].randomElement(using: &random) ?? "flip"
        let name = Int.random(in: 0..<8, using: &random) == 0 ? "same" : "\(index)-\(position)"
        return JobOutput(
          template: try OutputTemplate(parsing: "\(name).png"), chain: try FilterChain(parsing: chain),
          encoding: encoding)
      }
      var job = Job(index: index, sources: sources, outputs: outputs)
      job.placeholder = placeholder
      job.isProgressive = isProgressive
      jobs.append(job)
    }
    var group = JobGroup(jobs[0])
    group.jobs = jobs
    return group
  }

  /// What a group's outputs are, whatever the world: making keys takes longer than running a graph.
  struct Prepared: Sendable {
    let group: JobGroup
    let paths: [String]
    let keys: [ContentDigest]

    init(_ random: inout SeededRandom) throws {
      group = try StepGraphFixture.group(&random)
      let all = group.key.sources + (group.key.placeholder.map { [$0] } ?? [])
      paths = group.jobs.flatMap { job in job.outputs.map { $0.path(of: job, in: nil) } }
      keys = group.jobs.flatMap(\.outputs).flatMap { output in
        all.map {
          RenderKeys.output(
            of: StepGraphFixture.digest($0), chain: output.chain, encoding: output.encoding)
        }
      }
    }
  }

  /// A random world for a group.
  init(_ prepared: Prepared, _ random: inout SeededRandom, object: StoredObject) {
    self.object = object
    group = prepared.group
    configuration.force = Int.random(in: 0..<6, using: &random) == 0
    let errors: [DownloadError.Code] = [.httpStatus, .connectionFailed, .notCached, .cancelled]
    for source in group.key.sources + (group.key.placeholder.map { [$0] } ?? []) {
      self.sources[source] = SourceState(
        isStored: Bool.random(using: &random),
        error: Bool.random(using: &random) ? errors.randomElement(using: &random) : nil,
        hasRecordedFailure: Int.random(in: 0..<5, using: &random) == 0,
        isDamaged: Int.random(in: 0..<5, using: &random) == 0)
    }
    for (index, path) in prepared.paths.enumerated() {
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1: inPlace.insert(path)
      case 2: kept.insert(path)
      case 3 where index > 0: claimed.insert(path)
      default: break
      }
    }
    for key in prepared.keys {
      if Bool.random(using: &random) { stored.insert(key) }
      if Int.random(in: 0..<6, using: &random) == 0 { failing.insert(key) }
    }
  }

  // MARK: Answers

  func download(_ source: ImageSource, isOffline: Bool) -> Result<StoredSource, DownloadError> {
    guard let state = sources[source] else { return .failure(DownloadError(.notCached, "", source: "")) }
    if !state.isStored {
      if isOffline { return .failure(DownloadError(.notCached, "not stored", source: source.displayText)) }
      if let code = state.error { return .failure(DownloadError(code, "failed", source: source.displayText)) }
    }
    return .success(
      StoredSource(
        digest: Self.digest(source), path: "/dev/null", byteCount: 100, disposition: .hit,
        displayText: source.displayText))
  }

  func failure(of source: StoredSource) -> JobError? {
    let state = sources.first { $0.key.displayText == source.displayText }?.value
    guard state?.hasRecordedFailure == true else { return nil }
    return JobError(code: .corrupt, stage: .decode, message: "recorded")
  }

  func known(_ keys: [ContentDigest]) -> [ContentDigest: StoredOutput] {
    Dictionary(
      keys.filter(stored.contains).map {
        ($0, StoredOutput(Self.image($0), seconds: 1))
      }, uniquingKeysWith: { first, _ in first })
  }

  func survey(_ outputs: [PlannedOutput], _ known: [ContentDigest: StoredOutput]) -> OutputWriter.Survey {
    var survey = OutputWriter.Survey()
    var claims: [String: ContentDigest] = [:]
    for (index, output) in outputs.enumerated() {
      guard output.state == .unknown, let key = output.key, let path = output.path else { continue }
      if claimed.contains(path) || claims[path].map({ $0 != key }) == true {
        survey.refused[index] = .conflict(path)
        continue
      }
      claims[path] = key
      if inPlace.contains(path), known[key] != nil {
        survey.inPlace.insert(index)
      } else if kept.contains(path) {
        survey.kept.insert(index)
      } else if known[key] != nil {
        survey.objects[key] = made(key, isNew: false)
      }
      if inPlace.contains(path), !survey.inPlace.contains(index) { survey.occupied.insert(index) }
    }
    return survey
  }

  func render(_ rendering: StepGraph.Rendering) -> [ContentDigest: StepGraph.RenderOutcome] {
    let isDamaged =
      sources.first { $0.key.displayText == rendering.source.displayText }?.value.isDamaged == true
    return Dictionary(
      rendering.keys.map { key in
        if isDamaged { return (key, .failure(JobError(code: .corrupt, stage: .decode, message: "damaged"))) }
        if failing.contains(key) {
          return (key, .failure(JobError(code: .filterFailed, stage: .filter, message: "can't")))
        }
        return (key, .success(made(key, isNew: true)))
      }, uniquingKeysWith: { first, _ in first })
  }

  private static func image(_ key: ContentDigest) -> RenderedFile {
    RenderedFile(format: .png, width: 1, height: 1, frames: 1, bytes: 1, digest: key)
  }

  private func made(_ key: ContentDigest, isNew: Bool) -> EncodedOutput {
    EncodedOutput(
      image: RenderedFile(format: .png, width: 1, height: 1, frames: 1, bytes: 1, digest: key),
      object: object,
      isNew: isNew)
  }
}

extension StepGraphFixture {
  /// A store with one object in it.
  static func storedObject() throws -> (store: DiskStore, object: StoredObject) {
    let store = try DiskStore.ephemeral()
    return (store, try store.insert(text: "bytes"))
  }

  /// The sources, in the same order in every process: a seed must repeat what a test did.
  var sourcesInOrder: [ImageSource] { sources.keys.sorted { $0.displayText < $1.displayText } }

  /// The results of the groups that the actions end.
  static func results(_ actions: [StepGraph.Action]) -> [[JobResult]] {
    actions.compactMap { if case .finish(let results) = $0 { results } else { nil } }
  }
}
