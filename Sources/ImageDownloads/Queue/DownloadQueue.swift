import HeapModule

/// Grants slots to pending downloads: a pure state machine without clock, thread or socket.
///
/// A download requests a slot (``add(_:host:priority:)``), gets it from ``takeReady(now:)``, and gives it back
/// (``release(_:)``). Each slot belongs to a download, so it can't be freed twice.
///
/// Each host has a heap of pending downloads. Another heap holds the hosts that may start one, by their first download.
/// Outdated entries are dropped when they reach the top, so every step takes logarithmic time.
struct DownloadQueue<ID: Hashable & Sendable>: Sendable {
  struct Limits: Sendable {
    /// Slots for all hosts.
    var total = 32
    /// Slots per host.
    var perHost = 6
    /// Slots for particular hosts.
    var byHost: [String: Int] = [:]
    /// Hosts that have slots but haven't finished an attempt.
    var newHosts = 16
    /// Starts per second and host.
    var rate: Double?
    /// Starts per second for particular hosts.
    var rateByHost: [String: Double] = [:]
    /// Seconds of silence after which a host is down.
    var unreachableTimeout = 30.0
    /// The order of downloads of equal priority.
    var order = DownloadOrder.fifo
  }

  private struct Entry: Comparable, Sendable {
    var priority: Int
    /// Increases for FIFO, decreases for LIFO.
    var turn: Int
    var id: ID

    static func < (left: Entry, right: Entry) -> Bool {
      (-left.priority, left.turn) < (-right.priority, right.turn)
    }
  }

  private struct Host: Sendable {
    var pending = Heap<Entry>()
    /// The number of outdated entries in `pending`.
    var removed = 0
    var active = 0
    var hasAnswered = false
    /// No download starts before this time.
    var pausedUntil = -Double.infinity
    /// The earliest next start that the rate permits.
    var nextStart = -Double.infinity
    var breaker = CircuitBreaker()
    var version = 0
  }

  /// A host in one of the heaps. It is outdated if the host's version has changed.
  private struct Turn: Comparable, Sendable {
    var entry: Entry
    var host: String
    var version: Int

    static func < (left: Turn, right: Turn) -> Bool { left.entry < right.entry }
  }

  private struct Wake: Comparable, Sendable {
    var time: Double
    var host: String
    var version: Int

    static func < (left: Wake, right: Wake) -> Bool { left.time < right.time }
  }

  private let limits: Limits
  private var hosts: [String: Host] = [:]
  private var pendingHosts: [ID: (host: String, turn: Int)] = [:]
  private var holders: [ID: String] = [:]
  private var ready = Heap<Turn>()
  private var sleeping = Heap<Wake>()
  /// New hosts that wait until fewer new hosts are active.
  private var newHosts = Heap<Turn>()
  private var activeNewHosts = 0
  private var downHosts: Set<String> = []
  private var turns = 0

  init(limits: Limits) {
    self.limits = limits
  }

  var pendingCount: Int { pendingHosts.count }
  var activeCount: Int { holders.count }
  func activeCount(of host: String) -> Int { hosts[host]?.active ?? 0 }

  // MARK: Events

  /// Requests a slot for a download. Does nothing if the download already waits for a slot or holds one.
  mutating func add(_ id: ID, host: String, priority: Int) {
    guard pendingHosts[id] == nil, holders[id] == nil else { return }
    turns += 1
    let turn = limits.order == .fifo ? turns : -turns
    // Share one copy of the name: 100,000 downloads may be pending.
    let host = hosts.index(forKey: host).map { hosts[$0].key } ?? host
    pendingHosts[id] = (host, turn)
    hosts[host, default: Host()].pending.insert(Entry(priority: priority, turn: turn, id: id))
    offer(host)
  }

  /// Withdraws a pending download's request.
  /// - Returns: Whether it was pending.
  @discardableResult
  mutating func remove(_ id: ID) -> Bool {
    guard let (name, _) = pendingHosts.removeValue(forKey: id) else { return false }
    hosts[name]?.removed += 1
    if let host = hosts[name], host.removed > 32, host.removed > host.pending.count / 2 { compact(name) }
    dropIfIdle(name)
    return true
  }

  /// Gives a download's slot back.
  /// - Returns: Whether it had one.
  @discardableResult
  mutating func release(_ id: ID) -> Bool {
    guard let name = holders.removeValue(forKey: id) else { return false }
    hosts[name]?.active -= 1
    if let host = hosts[name], !host.hasAnswered {
      hosts[name]?.hasAnswered = true
      activeNewHosts -= 1
    }
    offer(name)
    var free = limits.newHosts - activeNewHosts
    while free > 0, let turn = newHosts.popMin() {
      guard hosts[turn.host]?.version == turn.version else { continue }
      ready.insert(turn)
      free -= 1
    }
    dropIfIdle(name)
    return true
  }

  /// Starts no download from a host until a time; its slots go to other hosts.
  mutating func pause(_ host: String, until time: Double) {
    hosts[host, default: Host()].pausedUntil = max(time, hosts[host]?.pausedUntil ?? time)
    hosts[host]?.version += 1
    offer(host)
  }

  /// Records the end of an attempt. Must be called before its slot is given back.
  /// - Returns: The time until which the host gets no attempt; nil if it isn't paused.
  @discardableResult
  mutating func note(_ signal: HostSignal, of host: String, now: Double) -> Double? {
    let (active, limit) = (activeCount(of: host), limit(of: host))
    let verdict = hosts[host]?.breaker.note(
      signal, active: active, limit: limit, unreachableTimeout: limits.unreachableTimeout, now: now)
    switch verdict {
    case .pause(let time):
      pause(host, until: time)
      return time
    case .down(let time):
      downHosts.insert(host)
      return time
    case nil: return nil
    }
  }

  /// Removes and returns the pending downloads of hosts that are down.
  mutating func takeRefused(now: Double) -> [ID] {
    var refused: [ID] = []
    for name in downHosts {
      guard let time = hosts[name]?.breaker.downUntil, time > now else {
        downHosts.remove(name)
        continue
      }
      while let entry = first(of: name) {
        hosts[name]?.pending.removeMin()
        pendingHosts[entry.id] = nil
        refused.append(entry.id)
      }
    }
    return refused
  }

  /// Grants free slots and returns the downloads that got one, in order.
  /// - Parameter priority: The lowest priority of downloads that may start. Default: any.
  mutating func takeReady(now: Double, priority: Int = .min) -> [ID] {
    while let wake = sleeping.min, wake.time <= now {
      sleeping.removeMin()
      if hosts[wake.host]?.version == wake.version { offer(wake.host) }
    }
    var started: [ID] = []
    while holders.count < limits.total, let turn = ready.min, turn.entry.priority >= priority {
      ready.removeMin()
      guard hosts[turn.host]?.version == turn.version else { continue }
      if let id = start(turn, now: now) { started.append(id) }
    }
    return started
  }

  /// When to call ``takeReady(now:)`` again if no other event happens; nil for never.
  var nextWake: Double? {
    mutating get {
      while let wake = sleeping.min {
        if hosts[wake.host]?.version == wake.version { return wake.time }
        sleeping.removeMin()
      }
      return nil
    }
  }

  // MARK: Turns

  /// Starts a host's first download, unless it has changed or may not start yet.
  private mutating func start(_ turn: Turn, now: Double) -> ID? {
    let name = turn.host
    guard let entry = first(of: name) else { return nil }
    guard entry == turn.entry else {
      offer(name)
      return nil
    }
    guard let time = hosts[name].map({ max($0.pausedUntil, $0.nextStart) }) else { return nil }
    guard time <= now else {
      hosts[name]?.version += 1
      sleeping.insert(Wake(time: time, host: name, version: turn.version + 1))
      return nil
    }
    if isNewHost(name) {
      guard activeNewHosts < limits.newHosts else {
        newHosts.insert(turn)
        return nil
      }
      activeNewHosts += 1
    }
    // Modify in place: a copy of the host would share the heap's storage, and removing from it would copy the heap.
    hosts[name]?.pending.removeMin()
    hosts[name]?.active += 1
    if let rate = limits.rateByHost[name] ?? limits.rate, rate > 0 {
      hosts[name]?.nextStart = max(time, now) + 1 / rate
    }
    pendingHosts[entry.id] = nil
    holders[entry.id] = name
    offer(name)
    return entry.id
  }

  /// Whether a start would be the host's first contact.
  private func isNewHost(_ name: String) -> Bool {
    hosts[name].map { !$0.hasAnswered && $0.active == 0 } ?? false
  }

  private func limit(of name: String) -> Int { max(1, limits.byHost[name] ?? limits.perHost) }

  /// Enters a host into the heap of ready hosts if it may start a download. Its earlier entries become outdated.
  private mutating func offer(_ name: String) {
    hosts[name]?.version += 1
    guard let entry = first(of: name), let host = hosts[name] else { return }
    guard host.active < host.breaker.slots(of: limit(of: name)) else { return }
    ready.insert(Turn(entry: entry, host: name, version: host.version))
  }

  /// A host's first pending download. Drops outdated entries before it.
  private mutating func first(of name: String) -> Entry? {
    while let entry = hosts[name]?.pending.min {
      if pendingHosts[entry.id]?.turn == entry.turn { return entry }
      hosts[name]?.pending.removeMin()
      hosts[name]?.removed -= 1
    }
    return nil
  }

  private mutating func compact(_ name: String) {
    guard let host = hosts[name] else { return }
    let kept = host.pending.unordered.filter { pendingHosts[$0.id]?.turn == $0.turn }
    hosts[name]?.pending = Heap(kept)
    hosts[name]?.removed = 0
  }

  /// Forgets an idle host that never finished an attempt: a manifest may name very many.
  private mutating func dropIfIdle(_ name: String) {
    guard let host = hosts[name], host.active == 0, !host.hasAnswered, first(of: name) == nil,
      host.pausedUntil == -.infinity, host.breaker.downUntil == nil
    else { return }
    hosts[name] = nil
  }
}
