import ImageBatch
import ImageRendering

/// Turns a batch's events into the state of its progress.
struct ProgressState {
  struct Download: Equatable {
    var id: Int
    var source: String
    var host: String
    var received = 0
    var expected: Int?
  }

  struct Rendering: Equatable {
    var slot: Int
    var source: String
  }

  /// The number of jobs, if known.
  private(set) var jobs: Int?
  private(set) var jobsEnded = 0
  private(set) var written = 0
  private(set) var unchanged = 0
  private(set) var cached = 0
  private(set) var failed = 0
  /// The active downloads, in the order in which they started.
  private(set) var downloads: [Download] = []
  /// The active renderings, by slot.
  private(set) var renderings: [Rendering] = []
  /// The bytes received since the start.
  private(set) var receivedBytes = 0
  private(set) var isFinished = false
  private var speed = SpeedMeter()

  mutating func apply(_ event: BatchEvent, at seconds: Double) {
    switch event {
    case .jobsCounted(let count): jobs = count
    case .warning, .outputRemoved: break
    case .downloadStarted(let id, let source, let host):
      downloads.append(Download(id: id, source: source, host: host))
    case .downloadProgressed(let id, let received, let expected):
      guard let position = downloads.firstIndex(where: { $0.id == id }) else { break }
      add(received - downloads[position].received, at: seconds)
      downloads[position].received = received
      downloads[position].expected = expected
    case .downloadFinished(let id, let bytes, _, _):
      guard let position = downloads.firstIndex(where: { $0.id == id }) else { break }
      add(bytes - downloads[position].received, at: seconds)
      downloads.remove(at: position)
    case .renderingStarted(let slot, _, let source):
      renderings.removeAll { $0.slot == slot }
      let position = renderings.firstIndex { $0.slot > slot } ?? renderings.endIndex
      renderings.insert(Rendering(slot: slot, source: source), at: position)
    case .renderingFinished(let slot): renderings.removeAll { $0.slot == slot }
    case .outputFinished(let result):
      switch result.status {
      case .written: written += 1
      case .unchanged, .kept: unchanged += 1
      case .cached: cached += 1
      case .failed: failed += 1
      }
    case .jobFinished: jobsEnded += 1
    case .finished: isFinished = true
    }
  }

  /// Adds received bytes. Ignores the negative difference of a retry, which starts again from 0.
  private mutating func add(_ bytes: Int, at seconds: Double) {
    guard bytes > 0 else { return }
    receivedBytes += bytes
    speed.add(bytes, at: seconds)
  }

  /// The recent download speed in bytes per second.
  func bytesPerSecond(at seconds: Double) -> Double { speed.bytesPerSecond(at: seconds) }

  /// The fraction of jobs that have ended, from 0 to 1; nil if the number of jobs is unknown.
  var fraction: Double? {
    guard let jobs, jobs > 0 else { return nil }
    return min(1, Double(jobsEnded) / Double(jobs))
  }

  /// The estimated remaining time in seconds, from the jobs that have ended; nil if it is too early to estimate.
  func secondsLeft(at seconds: Double) -> Double? {
    guard let jobs, jobsEnded > 0, jobsEnded < jobs, seconds >= 2 else { return nil }
    return seconds / Double(jobsEnded) * Double(jobs - jobsEnded)
  }
}

/// Measures the bytes per second over the last five seconds.
struct SpeedMeter {
  /// The duration of a slice in seconds.
  private static let slice = 0.5
  private static let slices = 10
  private var counts: [(slice: Int, bytes: Int)] = []

  mutating func add(_ bytes: Int, at seconds: Double) {
    let slice = Int(seconds / Self.slice)
    if counts.last?.slice == slice {
      counts[counts.count - 1].bytes += bytes
    } else {
      counts.append((slice, bytes))
      counts.removeAll { $0.slice <= slice - Self.slices }
    }
  }

  func bytesPerSecond(at seconds: Double) -> Double {
    let slice = Int(seconds / Self.slice)
    let recent = counts.filter { $0.slice > slice - Self.slices }
    guard !recent.isEmpty else { return 0 }
    let span = min(Double(Self.slices) * Self.slice, max(seconds, Self.slice))
    return Double(recent.reduce(0) { $0 + $1.bytes }) / span
  }
}
