import Collections
import ImageCaches
import ImageDownloads
import SystemIO

/// What a group of jobs takes, step by step, and what is known of each step. A pure value: it decides, and a driver does.
///
/// ``handle(_:now:)`` is its only entry. Its actions are performed by a ``StepDriver``, which answers each that has an
/// answer with an event. Two drivers run it: `GroupScheduler` performs everything; `BatchPlanner` performs what reads
/// from the store and stops where a run would begin to write, so that a plan is what a run decides.
///
/// Sources, in the order in which they are tried (or all at once: `publish: progressive`), the placeholder last:
///
/// | state | event | next state | actions |
/// | --- | --- | --- | --- |
/// | `waiting` | `begun`, or all before it failed | `downloading` | `download` |
/// | `downloading` | `downloaded(success)` | `arrived`, then the attempt below | |
/// | `downloading` | `downloaded(failure)` | `failed` | the next source's |
/// | `arrived` | a better one is in place | `passedOver` | |
///
/// One attempt is made at a time, with one source:
///
/// | stage | event | next stage | actions |
/// | --- | --- | --- | --- |
/// | – | a source has arrived | `checking`, or `gathering` where there is no other source | `use`, `findFailure` |
/// | `checking` | `failureFound(nil)` | `gathering` | `downloadAuxiliary` |
/// | `checking` | `failureFound(error)` | – (the source has failed) | |
/// | `gathering` | `auxiliaryDownloaded` | `lookingUp` | `hold`, `findOutputs` |
/// | `lookingUp` | `outputsFound` | `inspecting` | `inspectPlaces` |
/// | `inspecting` | `placesInspected` | `rendering` | `render` |
/// | `rendering` | `rendered` | `placing` | `recordSource`, `confirm`, `place` … |
/// | `rendering` | `rendered`, the source can't be decoded, and there are others | – (failed) | `recordFailure`, `release` |
/// | `placing` | `placed`, the last | – | `release`; `finish`, or the next attempt |
///
/// Stages without work are passed over at once. The end is `finish`, with a result for each job, or `skip`; exactly one
/// of them, exactly once. `stopped` ends a graph in any state.
struct StepGraph: Sendable {
  /// What is to be done, and which event answers it.
  enum Action: Sendable {
    /// Download a source, by its place in ``candidates``: `downloaded`. Several may be under way.
    case download(Int, ImageSource, pinnedDigest: ContentDigest?)
    /// Count the source that an attempt is made with, and the jobs that share it.
    case use(StoredSource, mergedJobs: Int)
    /// Find what an earlier run has recorded of a source that can't be decoded: `failureFound`.
    case findFailure(StoredSource)
    /// Download the images that chains name: `auxiliaryDownloaded`.
    case downloadAuxiliary([ImageSource])
    /// Count bytes as waiting to be rendered: nothing more is downloaded for this source.
    case hold(Int)
    /// Count the bytes of `hold` no more.
    case release(Int)
    /// Find what the store has under output keys: `outputsFound`.
    case findOutputs([ContentDigest])
    /// Claim the outputs' paths, and look what is in their places: `placesInspected`.
    case inspectPlaces([PlannedOutput], known: [ContentDigest: StoredOutput])
    /// Render outputs: `rendered`.
    case render(Rendering)
    /// Record that a source can't be decoded.
    case recordFailure(JobError, of: StoredSource)
    /// Record what a source was, and the images that chains named.
    case recordSource(StoredSource, auxiliary: [StoredSource])
    /// Note an output that is in place already.
    case confirm(PlannedOutput)
    /// Put an output in its place: `placed`.
    case place(Int, PlannedOutput, MadeOutput, OutputResult)
    case warn(BatchWarning)
    /// The end: results in the order of the jobs.
    case finish([JobResult])
    /// The end: nothing is reported of the group's jobs.
    case skip
  }

  /// What has happened.
  enum Event: Sendable {
    case begun
    case downloaded(Int, Result<StoredSource, DownloadError>)
    case failureFound(JobError?)
    case auxiliaryDownloaded(AuxiliarySources)
    case outputsFound(Result<[ContentDigest: StoredOutput], JobError>)
    case placesInspected(OutputWriter.Survey)
    case rendered([ContentDigest: Landing])
    /// At a time of the monotonic clock, in seconds.
    case placed(Int, OutputResult, at: Double)
    /// No further action will be performed.
    case stopped
  }

  /// How the step that encodes an output ended.
  typealias Landing = Result<MadeOutput, JobError>

  /// The outputs of one source that have to be rendered.
  struct Rendering: Sendable {
    let source: StoredSource
    /// In the order of the outputs.
    let keys: [ContentDigest]
    /// An output for each key: all that have it give the same bytes.
    let outputs: [ContentDigest: Output]
    let auxiliary: AuxiliarySources
    /// The first job, for messages.
    let job: Int
    /// When the store was asked what it has, in seconds of the monotonic clock.
    let lookedUpAt: Double
  }

  /// A source of the group, or its placeholder.
  struct Candidate: Sendable {
    enum State: Sendable {
      case waiting, downloading, passedOver, used
      case arrived(StoredSource)
      case failed([JobError])
    }

    let source: ImageSource
    let isPlaceholder: Bool
    var state = State.waiting

    var isWaiting: Bool { if case .waiting = state { true } else { false } }
    var isDownloading: Bool { if case .downloading = state { true } else { false } }
  }

  /// Outputs made with one source.
  struct Attempt: Sendable {
    enum Stage: Sendable { case checking, gathering, lookingUp, inspecting, rendering, placing }

    let position: Int
    let source: StoredSource
    var stage = Stage.checking
    var auxiliary = AuxiliarySources([:])
    /// In the order of the jobs and of each job's outputs.
    var outputs: [PlannedOutput] = []
    var results: [OutputResult] = []
    /// What is stored or rendered, by key.
    var made: [ContentDigest: Landing] = [:]
    var lookedUpAt = -Double.infinity
    var heldBytes = 0
    /// Outputs that are on the way to their places.
    var placing = 0
  }

  let group: JobGroup
  let configuration: BatchConfiguration
  var candidates: [Candidate]
  var attempt: Attempt?
  /// The last attempt as it was when it was clear what has to be rendered: what a plan reports.
  var decided: Attempt?
  /// Sources that have arrived and wait for their attempt, in the order of their arrival.
  var arrivals: [Int] = []
  /// The best source so far, and what was made with it.
  var best: (position: Int, results: [JobResult])?
  var isFinished = false
  /// Whether a download was cancelled, which is no failure.
  var wasCancelled = false
  var began = 0.0

  init(_ group: JobGroup, _ configuration: BatchConfiguration) {
    self.group = group
    self.configuration = configuration
    candidates =
      group.key.sources.map { Candidate(source: $0, isPlaceholder: false) }
      + (group.key.placeholder.map { [Candidate(source: $0, isPlaceholder: true)] } ?? [])
  }

  /// Takes in what has happened, and says what is to be done, in this order. An event that answers nothing that was asked
  /// for changes nothing.
  /// - Parameter now: Seconds of the monotonic clock.
  mutating func handle(_ event: Event, now: Double) -> [Action] {
    guard !isFinished else { return [] }
    switch (event, attempt?.stage) {
    case (.begun, nil) where candidates.allSatisfy(\.isWaiting):
      began = now
      return begin()
    case (.downloaded(let position, let result), _): return downloaded(position, result, now)
    case (.failureFound(let error), .checking?): return error.map { fail([$0], now) } ?? gather(now)
    case (.auxiliaryDownloaded(let auxiliary), .gathering?): return lookUp(with: auxiliary, now)
    case (.outputsFound(let result), .lookingUp?): return inspect(result, now)
    case (.placesInspected(let survey), .inspecting?): return render(after: survey, now)
    case (.rendered(let landings), .rendering?): return place(landings, now)
    case (.placed(let index, let result, let time), .placing?): return placed(index, result, at: time, now)
    case (.stopped, _): return stop()
    default: return []
    }
  }

  /// Ends the graph without results.
  mutating func stop() -> [Action] {
    isFinished = true
    return release() + [.skip]
  }
}

/// What performs a graph's actions.
protocol StepDriver: Sendable {
  /// Performs an action.
  /// - Returns: its event; nil for an action without one, and where the event comes later.
  func perform(_ action: StepGraph.Action) async -> StepGraph.Event?
}

extension StepDriver {
  /// Hands events to a graph, performs what follows, and so on until nothing more follows.
  func drive(_ graph: inout StepGraph, _ events: [StepGraph.Event]) async {
    var events = Deque(events)
    while let event = events.popFirst() {
      for action in graph.handle(event, now: SystemTime.monotonic) {
        if let event = await perform(action) { events.append(event) }
      }
    }
  }
}
