import Glibc
import ImageCaches
import Synchronization
import TestSupport
import Testing

@testable import ImageDownloads

/// A driver that performs nothing and knows what must hold: it ends lookups and transfers as the random
/// numbers say.
private struct ModelDriver {
  static let total = 5
  static let perHost = 3
  static let newHosts = 2
  static let lookups = 3

  /// How often each call was answered.
  final class Answers: Sendable {
    let counts = Mutex<[Int: Int]>([:])
  }

  /// What breaks a promise of the machine's.
  struct Violation: Error {
    var text: String
    init(_ text: String) { self.text = text }
  }

  var machine: DownloadStateMachine
  var generator: SeededRandom
  var now = 0.0
  let answers = Answers()
  private var requested = 0
  private var receipts: [RequestReceipt] = []
  private var lookups: [Int: RequestKey] = [:]
  /// Transfers with their slots.
  private var transfers: [Int: RequestState] = [:]
  /// Transfers and refusals without a slot.
  private var resolving: [Int: RequestState] = [:]
  private var finished: Set<Int> = []
  private var aborted: Set<Int> = []
  private var retryTimes: [Int: Double] = [:]
  private var wakes: [Double] = []
  private var answeredHosts: Set<String> = []
  private var isHeld = false
  private var isShutDown = false

  init(_ generator: SeededRandom) {
    self.generator = generator
    var limits = DownloadQueue<Int>.Limits()
    limits.total = Self.total
    limits.perHost = Self.perHost
    limits.newHosts = Self.newHosts
    limits.rate = self.generator.next() % 3 == 0 ? 20 : nil
    limits.unreachableTimeout = 2
    limits.order = self.generator.next() % 2 == 0 ? .fifo : .lifo
    machine = DownloadStateMachine(
      limits: limits, lookupLimit: Self.lookups, abortsOnCancel: self.generator.next() % 2 == 0)
  }

  private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

  // MARK: Events

  /// Sends one random event, and checks what follows.
  mutating func step() throws {
    switch number(0..<100) {
    case 0..<30: try request()
    case 30..<48: try endLookup()
    case 48..<62: try endTransfer()
    case 62..<80: try resolve()
    case 80..<90:
      now += Double(number(1..<1000)) / 1000
      try send(.timeReached(now))
    case 90..<93:
      if let receipt = receipts.randomElement(using: &generator) {
        receipt.markCancelled()
        try send(.cancelled(.receipt(receipt)))
      }
    case 93: try send(.cancelled(.source(key().source)))
    case 94: try send(.cancelled(.owner("owner \(number(0..<9))")))
    case 95: try send(.cancelled(number(0..<8) == 0 ? .all : .notStarted))
    case 96, 97:
      isHeld.toggle()
      try send(.held(isHeld))
    case 98:
      // Events that fit nothing.
      let id = number(0..<1000)
      if lookups[id] == nil { try send(.lookupFinished(id, .complete(outcome()))) }
      if transfers[id] == nil { try send(.transferFinished(id, .silent)) }
      if transfers[id] == nil, resolving[id] == nil { try send(.resolved(id, .complete(outcome()))) }
    default:
      guard number(0..<20) == 0 else { break }
      isShutDown = true
      try send(.shutDown)
    }
  }

  /// Ends everything that is under way, by a shutdown or by letting it end, and checks that nothing is left.
  mutating func drain() throws {
    if number(0..<3) == 0 {
      isShutDown = true
      try send(.shutDown)
    }
    isHeld = false
    try send(.held(false))
    var rounds = 0
    while machine.activeCount > 0 || !lookups.isEmpty {
      rounds += 1
      guard rounds < 10_000 else {
        throw Violation("it does not end: \(machine.activeCount) downloads are left")
      }
      if !lookups.isEmpty {
        try endLookup()
      } else if !transfers.isEmpty || !resolving.isEmpty {
        try resolve()
      } else {
        guard let next = wakes.min() else {
          throw Violation("\(machine.activeCount) downloads wait for nothing")
        }
        now = max(now, next)
        wakes.removeAll { $0 <= now }
        try send(.timeReached(next))
      }
    }
    // Retries of downloads that were cancelled are forgotten when they come due.
    now += 1000
    try send(.timeReached(now))
    guard machine.isEmpty else { throw Violation("something is left in the machine") }
    let counts = answers.counts.withLock { $0 }
    for call in 0..<requested where counts[call] != 1 {
      throw Violation("call \(call) was answered \(counts[call] ?? 0) times")
    }
  }

  private mutating func key() -> RequestKey {
    let host = number(0..<6)
    return RequestKey(
      source: .url("http://h\(host).example/\(number(0..<12))"), headers: [], cacheMode: .standard)
  }

  private mutating func state(_ key: RequestKey) throws -> RequestState {
    RequestState(key, originalURL: try #require(key.url))
  }

  private mutating func outcome() -> DownloadStateMachine.Outcome {
    guard number(0..<4) > 0 else { return .failure(DownloadError(.httpStatus, "404", source: "a")) }
    let fingerprint = FileFingerprint(path: "/a", status: stat())
    var response = Response(
      file: "/a", digest: ContentDigest(hashing: [1]), fingerprint: fingerprint, isFingerprintCertain: true)
    response.disposition = .downloaded
    return .success(response)
  }

  private mutating func request() throws {
    let key = key()
    let receipt = RequestReceipt(ImageRequest(key.source), owner: "owner \(number(0..<9))")
    if number(0..<30) == 0 { receipt.markCancelled() }
    receipts.append(receipt)
    let call = requested
    requested += 1
    let waiter = InFlightDownload.Waiter(receipt: receipt) { [answers] _ in
      answers.counts.withLock { $0[call, default: 0] += 1 }
    }
    try send(.requested(key, priority: number(0..<3), waiter))
  }

  private mutating func endLookup() throws {
    guard let (id, key) = lookups.min(by: { $0.key < $1.key }) ?? nil else { return }
    // Mostly not the oldest: the machine has to restore the order.
    let (chosen, chosenKey) =
      number(0..<3) == 0 ? (id, key) : lookups.randomElement(using: &generator) ?? (id, key)
    lookups[chosen] = nil
    let step: NextStep
    switch number(0..<10) {
    case 0, 1: step = .complete(outcome())
    case 2:
      if case .success(let response) = outcome() {
        step = .completeAndValidate(response, chosenKey.refreshing)
      } else {
        step = .complete(outcome())
      }
    default: step = .transfer(try state(chosenKey))
    }
    try send(.lookupFinished(chosen, step))
  }

  private mutating func endTransfer() throws {
    guard let (id, state) = transfers.randomElement(using: &generator) else { return }
    transfers[id] = nil
    resolving[id] = state
    answeredHosts.insert(state.url.host)
    let signal: HostSignal? =
      switch number(0..<10) {
      case 0..<5: .answered
      case 5: .overloaded
      case 6..<9: .silent
      default: nil
      }
    try send(.transferFinished(id, signal))
  }

  private mutating func resolve() throws {
    // Without the event before it too: an error ends a transfer at once.
    guard
      let (id, request) = resolving.merging(transfers, uniquingKeysWith: { $1 }).randomElement(
        using: &generator)
    else { return }
    if transfers.removeValue(forKey: id) != nil { answeredHosts.insert(request.url.host) }
    resolving[id] = nil
    let step: NextStep
    switch number(0..<10) {
    case 0..<6: step = .complete(outcome())
    case 6, 7:
      var next = request
      if number(0..<2) == 0, let url = key().url { next.url = url }
      step = .transfer(next)
    default:
      let error = DownloadError(.timedOut, "slow", source: "a")
      let seconds = Double(number(0..<3000)) / 1000
      retryTimes[id] = now + seconds
      step = .retry(
        .init(state: request, seconds: seconds, error: error, hostPause: number(0..<4) == 0 ? seconds : nil))
    }
    try send(.resolved(id, step))
  }

  // MARK: Actions

  private mutating func send(_ event: DownloadStateMachine.Event) throws {
    for action in machine.handle(event, now: now) {
      switch action {
      case .lookUp(let id, let key):
        try live(id)
        lookups[id] = key
      case .transfer(let id, let state):
        try live(id)
        guard transfers[id] == nil, resolving[id] == nil else {
          throw Violation("transfer \(id) begins twice")
        }
        guard !isHeld else { throw Violation("transfer \(id) begins though transfers are held") }
        guard retryTimes[id] ?? 0 <= now else { throw Violation("transfer \(id) is tried again too early") }
        retryTimes[id] = nil
        transfers[id] = state
      case .refuse(let id, let state):
        try live(id)
        resolving[id] = state
      case .cancelTransfer(let id):
        guard transfers[id] != nil || resolving[id] != nil else {
          throw Violation("\(id) has no transfer to cancel")
        }
        guard aborted.insert(id).inserted else { throw Violation("\(id) is cancelled twice") }
      case .finished(let id):
        guard finished.insert(id).inserted else { throw Violation("\(id) finishes twice") }
      case .answer(let completion, let outcome): completion(outcome)
      case .wake(let time):
        guard time > now else { throw Violation("a wake in the past: it would come again and again") }
        wakes.append(time)
      case .report: break
      }
    }
    try checkLimits()
  }

  private func live(_ id: Int) throws {
    guard !isShutDown else { throw Violation("\(id) begins after the shutdown") }
    guard !finished.contains(id), !aborted.contains(id) else { throw Violation("\(id) begins after its end") }
  }

  private func checkLimits() throws {
    guard transfers.count <= Self.total else { throw Violation("\(transfers.count) transfers at once") }
    guard lookups.count <= Self.lookups else { throw Violation("\(lookups.count) lookups at once") }
    let hosts = Dictionary(grouping: transfers.values, by: \.url.host)
    for (host, transfers) in hosts where transfers.count > Self.perHost {
      throw Violation("\(transfers.count) transfers from \(host) at once")
    }
    let newHosts = hosts.keys.filter { !answeredHosts.contains($0) }.count
    guard newHosts <= Self.newHosts else { throw Violation("\(newHosts) new hosts at once") }
    guard machine.queuedCount <= machine.activeCount else {
      throw Violation("more are queued than there are")
    }
  }
}

@Suite("A model of the downloader", .timeLimit(.minutes(8)))
struct DownloadStateMachineModelTests {
  @Test(
    "100,000 random events: every call is answered once, no limit is passed, nothing starts after its end, nothing is left"
  )
  func random() {
    let seed = SeededRandom.seed
    var generator = SeededRandom(seed: seed)
    for sequence in 0..<200 {
      var driver = ModelDriver(SeededRandom(seed: generator.next()))
      do {
        for _ in 0..<500 { try driver.step() }
        try driver.drain()
      } catch {
        Issue.record("sequence \(sequence) of IMAGEMILL_TEST_SEED=\(seed): \(error)")
        return
      }
    }
  }
}
