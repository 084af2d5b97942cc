import Collections
import ImageCaches
import ImageDownloads
import SystemIO
import ImageRendering

/// The steps of a group of jobs as a pure state machine: it decides, and a driver performs.
///
/// ``handle(_:now:)`` is its only entry point. It returns actions for a ``StepDriver``, which reports each action's
/// result as an event. `GroupScheduler` performs all actions. `BatchPlanner` performs only those that read from the
/// store and stops where a run would begin to write, so that a plan is what a run would decide.
///
/// Sources are tried in order, or all at once with `publish: progressive`; the placeholder comes last:
///
/// | state | event | next state | actions |
/// | --- | --- | --- | --- |
/// | `waiting` | `begun`, or all earlier sources failed | `downloading` | `download` |
/// | `downloading` | `downloaded(success)` | `arrived`, then an attempt | |
/// | `downloading` | `downloaded(failure)` | `failed` | `download` of the next source |
/// | `downloading` | `downloaded`, bytes that a lock file refuses | `refused`; the group fails | |
/// | `arrived` | outputs of a better source are in place | `passedOver` | |
///
/// One attempt with one source runs at a time:
///
/// | stage | event | next stage | actions |
/// | --- | --- | --- | --- |
/// | – | a source has arrived | `checking`, or `gathering` if there is no other source | `use`, `findFailure` |
/// | `checking` | `failureFound(nil)` | `gathering` | `downloadAuxiliary` |
/// | `checking` | `failureFound(error)` | – (the source failed) | |
/// | `gathering` | `auxiliaryDownloaded` | `lookingUp` | `hold`, `findOutputs` |
/// | `lookingUp` | `outputsFound` | `inspecting` | `inspectPlaces` |
/// | `inspecting` | `placesInspected` | `rendering` | `render` |
/// | `inspecting` | `placesInspected`, a better source has arrived or may replace a file | – (`arrived` again) | `release` |
/// | `rendering` | `rendered` | `placing` | `recordSource`, `confirm`, `place` … |
/// | `rendering` | `rendered`, undecodable source, others left | – (failed) | `recordFailure`, `release` |
/// | `placing` | `placed`, the last one | – | `release`; `finish`, or the next attempt |
///
/// Stages without work are skipped. The graph ends with exactly one `finish`, with a result for each job, or one
/// `skip`. `stopped` ends it in any state.
struct StepGraph: Sendable {
  /// An action for the driver. The event named in each comment reports its result.
  ///
  /// Indirect, like the events: a thousand groups wait at a time, and each holds some of them in its task's memory.
  indirect enum Action: Sendable {
    /// Download a source, by its position in ``candidates``: `downloaded`. Several may be in flight.
    case download(Int, ImageSource, pinnedDigest: ContentDigest?)
    /// Record a downloaded source of several, whether or not it is used.
    case recordArrival(StoredSource)
    /// Count the attempt's source, and the jobs that share it.
    case use(StoredSource, mergedJobs: Int)
    /// Look up an earlier run's record that the source can't be decoded: `failureFound`.
    case findFailure(StoredSource)
    /// Download the images that chains refer to: `auxiliaryDownloaded`.
    case downloadAuxiliary([ImageSource])
    /// Add the source's bytes to the backlog of downloaded sources that wait for rendering.
    case hold(Int)
    /// Subtract the bytes of `hold` from the backlog.
    case release(Int)
    /// Look up output keys in the store: `outputsFound`.
    case findOutputs([ContentDigest])
    /// Claim the outputs' paths and inspect existing files: `placesInspected`.
    case inspectPlaces([PlannedOutput], known: [ContentDigest: StoredOutput])
    /// Render outputs: `rendered`.
    case render(Rendering)
    /// Record that a source can't be decoded.
    case recordFailure(JobError, of: StoredSource)
    /// Record the source and the auxiliary images that were used.
    case recordSource(StoredSource, auxiliary: [StoredSource])
    /// Record an output that is already in place.
    case confirm(PlannedOutput)
    /// Write an output to its path: `placed`.
    case place(Int, PlannedOutput, EncodedOutput, OutputResult)
    case warn(BatchWarning)
    /// End the group, with results in the order of the jobs.
    case finish([JobResult])
    /// End the group without results.
    case skip
  }

  /// The result of an action, or a request to begin or stop.
  indirect enum Event: Sendable {
    case begun
    case downloaded(Int, Result<StoredSource, DownloadError>)
    case failureFound(JobError?)
    case auxiliaryDownloaded(AuxiliarySources)
    case outputsFound(Result<[ContentDigest: StoredOutput], JobError>)
    case placesInspected(OutputWriter.Survey)
    case rendered([ContentDigest: RenderOutcome])
    /// An output's index, its result, and the time on the monotonic clock, in seconds.
    case placed(Int, OutputResult, at: Double)
    /// The driver performs no further actions.
    case stopped
  }

  /// The result of rendering one output.
  typealias RenderOutcome = Result<EncodedOutput, JobError>

  /// The outputs of one source that have to be rendered.
  struct Rendering: Sendable {
    let source: StoredSource
    /// Distinct keys in the order of the outputs.
    let keys: [ContentDigest]
    /// One output per key. Outputs with equal keys have equal bytes.
    let outputs: [ContentDigest: JobOutput]
    let auxiliary: AuxiliarySources
    /// The first job, for messages.
    let job: Int
    /// When the store was searched for the keys, in seconds of the monotonic clock.
    let lookedUpAt: Double
  }

  /// A source of the group, or its placeholder.
  struct Candidate: Sendable {
    enum State: Sendable {
      case waiting, downloading, passedOver, used
      case arrived(StoredSource)
      case failed([JobError])
      /// A lock file has other bytes of the source.
      case refused(JobError)
    }

    let source: ImageSource
    let isPlaceholder: Bool
    var state = State.waiting

    var isWaiting: Bool { if case .waiting = state { true } else { false } }
    var isDownloading: Bool { if case .downloading = state { true } else { false } }
  }

  /// An attempt to make the outputs from one source.
  struct Attempt: Sendable {
    enum Stage: Sendable { case checking, gathering, lookingUp, inspecting, rendering, placing }

    let position: Int
    let source: StoredSource
    var stage = Stage.checking
    var auxiliary = AuxiliarySources([:])
    /// In the order of the jobs and of each job's outputs.
    var outputs: [PlannedOutput] = []
    var results: [OutputResult] = []
    var made: [ContentDigest: RenderOutcome] = [:]
    var lookedUpAt = -Double.infinity
    var heldBytes = 0
    /// The number of outputs that are being written.
    var placing = 0
  }

  /// A source whose outputs are in place.
  struct Best: Sendable {
    let position: Int
    let source: StoredSource
    let auxiliary: [StoredSource]
    let results: [JobResult]
  }

  let group: JobGroup
  let configuration: BatchConfiguration
  var candidates: [Candidate]
  var attempt: Attempt?
  /// The last attempt, as decided just before rendering. A plan reports it.
  var decided: Attempt?
  /// Downloaded sources that wait for their attempt.
  var arrivals: Set<Int> = []
  /// Those whose outputs don't replace existing files as long as a better source may do that.
  var postponed: Set<Int> = []
  /// The best source so far.
  var best: Best?
  var isFinished = false
  /// Whether a download was cancelled, which doesn't count as a failure.
  var wasCancelled = false
  var began = 0.0

  init(_ group: JobGroup, _ configuration: BatchConfiguration) {
    self.group = group
    self.configuration = configuration
    candidates =
      group.key.sources.map { Candidate(source: $0, isPlaceholder: false) }
      + (group.key.placeholder.map { [Candidate(source: $0, isPlaceholder: true)] } ?? [])
  }

  /// Advances the graph. An event that doesn't fit the current state is ignored.
  /// - Parameter now: The monotonic clock, in seconds.
  /// - Returns: The actions to perform, in this order.
  // Inlined, its temporaries would be part of each waiting group's task.
  @inline(never)
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
    case (.rendered(let outcomes), .rendering?): return place(outcomes, now)
    case (.placed(let index, let result, let time), .placing?): return placed(index, result, at: time, now)
    case (.stopped, _): return stop()
    default: return []
    }
  }

  mutating func stop() -> [Action] {
    isFinished = true
    return release() + [.skip]
  }
}

/// Performs a graph's actions.
protocol StepDriver: Sendable {
  /// Performs an action.
  /// - Returns: The event; nil if the action has none or reports it later.
  func perform(_ action: StepGraph.Action) async -> StepGraph.Event?
}

extension StepDriver {
  /// Feeds events to a graph and performs its actions until no event is left.
  func drive(_ graph: inout StepGraph, _ events: [StepGraph.Event]) async {
    var events = Deque(events)
    while let event = events.popFirst() {
      for action in graph.handle(event, now: SystemTime.monotonic) {
        if let event = await perform(action) { events.append(event) }
      }
    }
  }
}
