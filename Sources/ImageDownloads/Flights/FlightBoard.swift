import Collections

/// Everything that a downloader shares between tasks, as one value behind one lock: the flights, who waits for them, and the queue.
/// Its functions never call out; they return what is to be done.
struct FlightBoard: Sendable {
  typealias Outcome = Result<Answer, DownloadError>
  typealias Completion = @Sendable (Outcome) -> Void

  /// Who waits for a flight.
  struct Waiter: Sendable {
    let receipt: RequestReceipt
    let completion: Completion
    let progress: (@Sendable (Int, Int?) -> Void)?
    /// Whether it joined a flight that another had begun.
    let joined: Bool
  }

  /// Where a flight is.
  enum Phase: Sendable {
    /// Waits to be looked up.
    case waiting
    /// Is being looked up, or is a local source that is being read.
    case lookingUp
    /// Waits for a slot for the first time. Indirect, because a hundred thousand may wait, and a table of journeys has room for as many again.
    indirect case queued(Journey)
    /// Has a task that transfers, waits to retry, or waits for its next slot.
    case active
  }

  struct Flight: Sendable {
    let order: FlightOrder
    var phase = Phase.waiting
    var priority: Int
    var waiters: [Waiter] = []
    var task: Task<Void, Never>?
    /// Whether the task was cancelled; nobody may join it any more.
    var isDoomed = false
  }

  /// What is to be done outside of the lock.
  enum Action: Sendable {
    case lookUp(Int)
    case transfer(Int, Journey)
    case refuse(Int, Journey)
    case resume(CheckedContinuation<Slot, Never>, Slot)
    case answer(Completion, Outcome)
    case cancel(Task<Void, Never>)
    case wake(at: Double)
  }

  /// What comes of asking for another slot.
  enum Slot: Sendable {
    case granted
    /// Nobody waits any more.
    case withdrawn
    /// The host is down.
    case refused
  }

  private(set) var flights: [Int: Flight] = [:]
  private var numbers: [FlightOrder: Int] = [:]
  private var lookups: Deque<Int> = []
  private var activeLookups = 0
  /// URLs that are being looked up, and those whose lookup has ended while an earlier one's hasn't: slots are asked
  /// for in the order of the requests, however long each lookup takes.
  private var openLookups: Set<Int> = []
  private var heldJourneys: [Int: Journey] = [:]
  private var queue: DownloadQueue<Int>
  private var slotWaiters: [Int: CheckedContinuation<Slot, Never>] = [:]
  private var nextNumber = 1
  private(set) var isShutDown = false
  /// While true, no transfer gets a slot; lookups go on.
  var holdsNewTransfers = false
  private let lookupLimit: Int
  private var wakeTime = Double.infinity

  init(limits: DownloadQueue<Int>.Limits, lookupLimit: Int = 8) {
    queue = DownloadQueue(limits: limits)
    self.lookupLimit = lookupLimit
  }

  // MARK: Waiters

  /// Adds a waiter to the flight for its order, which is begun where there is none.
  /// - Returns: whether the waiter joined, and what is to be done.
  mutating func add(_ order: FlightOrder, priority: Int, waiter: (_ joined: Bool) -> Waiter) -> (
    Bool, [Action]
  ) {
    if let number = numbers[order], let flight = flights[number], !flight.isDoomed {
      flights[number]?.waiters.append(waiter(true))
      if priority > flight.priority {
        flights[number]?.priority = priority
        if case .queued(let journey) = flight.phase, queue.remove(number) {
          queue.add(number, host: journey.address.origin, priority: priority)
        }
      }
      return (true, [])
    }
    let number = nextNumber
    nextNumber += 1
    flights[number] = Flight(order: order, priority: priority, waiters: [waiter(false)])
    numbers[order] = number
    lookups.append(number)
    return (false, [])
  }

  /// Answers the waiters that match with a cancellation; a flight that loses its last one is dropped, or, where it is active, completes for the cache or is aborted.
  mutating func cancel(abortsActive: Bool, where matches: (RequestReceipt) -> Bool) -> [Action] {
    var actions: [Action] = []
    for (number, flight) in flights where flight.waiters.contains(where: { matches($0.receipt) }) {
      actions += cancelWaiters(of: number, abortsActive: abortsActive, where: matches)
    }
    return actions
  }

  /// As above, for the one flight of an order.
  mutating func cancel(_ receipt: RequestReceipt, of order: FlightOrder, abortsActive: Bool) -> [Action] {
    guard let number = numbers[order] else { return [] }
    return cancelWaiters(of: number, abortsActive: abortsActive) { $0 === receipt }
  }

  private mutating func cancelWaiters(
    of number: Int, abortsActive: Bool, where matches: (RequestReceipt) -> Bool
  ) -> [Action] {
    guard let flight = flights[number] else { return [] }
    let gone = flight.waiters.filter { matches($0.receipt) }
    guard !gone.isEmpty else { return [] }
    flights[number]?.waiters.removeAll { matches($0.receipt) }
    var actions = gone.map { waiter in
      Action.answer(waiter.completion, .failure(.cancelled(flight.order.displayText)))
    }
    if gone.count == flight.waiters.count { actions += abandon(number, abortsActive: abortsActive) }
    return actions
  }

  /// The fate of a flight without waiters.
  private mutating func abandon(_ number: Int, abortsActive: Bool) -> [Action] {
    guard let flight = flights[number] else { return [] }
    switch flight.phase {
    case .waiting, .lookingUp:
      // A lookup that is under way finds its flight gone.
      drop(number)
    case .queued:
      queue.remove(number)
      drop(number)
    case .active:
      // What waits for its next slot or try has nothing to complete.
      guard abortsActive || slotWaiters[number] != nil else { return [] }
      flights[number]?.isDoomed = true
      numbers[flight.order] = nil
      if let task = flight.task { return [.cancel(task)] }
    }
    return []
  }

  private mutating func drop(_ number: Int) {
    guard let flight = flights.removeValue(forKey: number) else { return }
    if numbers[flight.order] == number { numbers[flight.order] = nil }
  }

  /// Drops every flight that has not begun to transfer.
  mutating func cancelPending() -> [Action] {
    flights.filter { if case .active = $0.value.phase { false } else { true } }.keys
      .flatMap { cancelWaiters(of: $0, abortsActive: false) { _ in true } }
  }

  /// Ends everything: every waiter is answered, every task cancelled.
  mutating func shutDown() -> [Action] {
    isShutDown = true
    return cancel(abortsActive: true) { _ in true }
      + flights.values.compactMap { $0.task.map(Action.cancel) }
  }

  /// The waiters that want to hear of progress.
  func progressHandlers(of number: Int) -> [@Sendable (Int, Int?) -> Void] {
    flights[number]?.waiters.compactMap(\.progress) ?? []
  }

  /// Whether anybody still waits.
  func isWanted(_ number: Int) -> Bool { flights[number]?.waiters.isEmpty == false }

  // MARK: Flights

  /// A flight's task begins.
  mutating func attach(_ task: Task<Void, Never>, to number: Int) {
    // It may have been cancelled between its slot and its task.
    if isShutDown || flights[number]?.isDoomed ?? true { task.cancel() }
    flights[number]?.task = task
  }

  /// A lookup has ended without an answer: a slot is needed.
  mutating func enqueue(_ journey: Journey, _ number: Int) {
    activeLookups -= 1
    openLookups.remove(number)
    heldJourneys[number] = journey
    queueHeldJourneys()
  }

  private mutating func queueHeldJourneys() {
    let earliestOpen = openLookups.min() ?? .max
    for number in heldJourneys.keys.filter({ $0 < earliestOpen }).sorted() {
      guard let journey = heldJourneys.removeValue(forKey: number), let flight = flights[number] else {
        continue
      }
      flights[number]?.phase = .queued(journey)
      flights[number]?.task = nil
      queue.add(number, host: journey.address.origin, priority: flight.priority)
    }
  }

  /// A lookup has ended the flight.
  mutating func endLookup(_ number: Int, _ outcome: Outcome) -> [Action] {
    activeLookups -= 1
    openLookups.remove(number)
    queueHeldJourneys()
    return land(number, outcome)
  }

  /// A flight has ended: each of its waiters is answered.
  mutating func land(_ number: Int, _ outcome: Outcome) -> [Action] {
    queue.release(number)
    guard let flight = flights[number] else { return [] }
    drop(number)
    return flight.waiters.map { waiter in
      guard waiter.joined, case .success(var answer) = outcome, answer.disposition == .downloaded else {
        return .answer(waiter.completion, outcome)
      }
      answer.disposition = .merged
      return .answer(waiter.completion, .success(answer))
    }
  }

  // MARK: Slots

  /// An active flight's transfer is over.
  mutating func releaseSlot(_ number: Int) { queue.release(number) }

  /// An active flight wants its next slot; `continuation` gets what comes of that.
  mutating func requestSlot(
    _ number: Int, host: String, _ continuation: CheckedContinuation<Slot, Never>
  ) -> [Action] {
    guard let flight = flights[number], !flight.isDoomed, !flight.waiters.isEmpty, !isShutDown else {
      return [.resume(continuation, .withdrawn)]
    }
    slotWaiters[number] = continuation
    queue.add(number, host: host, priority: flight.priority)
    return []
  }

  /// The task that waits for a slot was cancelled.
  mutating func withdrawSlotRequest(_ number: Int) -> [Action] {
    queue.remove(number)
    return slotWaiters.removeValue(forKey: number).map { [.resume($0, .withdrawn)] } ?? []
  }

  /// An attempt has ended; its flight's slot is not yet given back.
  mutating func note(_ sign: HostSign, of host: String, now: Double) -> HostHealth.Verdict? {
    queue.note(sign, of: host, now: now)
  }

  mutating func pause(_ host: String, until time: Double) { queue.pause(host, until: time) }

  /// What can begin now.
  mutating func begin(now: Double) -> [Action] {
    guard !isShutDown else { return [] }
    var actions: [Action] = []
    while activeLookups < lookupLimit, let number = lookups.popFirst() {
      guard flights[number] != nil else { continue }
      activeLookups += 1
      if case .url? = flights[number]?.order.source { openLookups.insert(number) }
      flights[number]?.phase = .lookingUp
      actions.append(.lookUp(number))
    }
    if now >= wakeTime { wakeTime = .infinity }
    guard !holdsNewTransfers else { return actions }
    for number in queue.takeRefused(now: now) {
      if let continuation = slotWaiters.removeValue(forKey: number) {
        actions.append(.resume(continuation, .refused))
      } else if case .queued(let journey)? = flights[number]?.phase {
        flights[number]?.phase = .active
        actions.append(.refuse(number, journey))
      }
    }
    for number in queue.takeReady(now: now) {
      if let continuation = slotWaiters.removeValue(forKey: number) {
        actions.append(.resume(continuation, .granted))
      } else if case .queued(let journey)? = flights[number]?.phase {
        flights[number]?.phase = .active
        actions.append(.transfer(number, journey))
      }
    }
    if let time = queue.nextWake, time < wakeTime {
      wakeTime = time
      actions.append(.wake(at: time))
    }
    return actions
  }

  // MARK: Numbers for tests and displays

  var queuedCount: Int { queue.pendingCount }
  var activeCount: Int { queue.activeCount }
}
