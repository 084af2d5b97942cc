import HeapModule

/// Which pending download goes next: a pure state machine, without clock, thread or socket.
///
/// A download asks for a slot (``add(_:host:priority:)``), gets it from ``takeReady(now:)``, and gives it
/// back once (``release(_:)``). A slot belongs to its download, so nothing frees it twice.
///
/// Each host has a heap of its pending downloads; the hosts that may start one now are in a heap by their
/// first. Outdated entries are dropped when they surface, so every step costs the logarithm of what waits.
struct DownloadQueue<ID: Hashable & Sendable>: Sendable {
  /// The limits.
  struct Limits: Sendable {
    /// Slots in all.
    var total = 32
    /// Slots of one host.
    var perHost = 6
    /// Slots of certain hosts.
    var byHost: [String: Int] = [:]
    /// Hosts that have not yet answered and have slots.
    var newHosts = 16
    /// Starts a second of one host.
    var rate: Double?
    /// Starts a second of certain hosts.
    var rateByHost: [String: Double] = [:]
    /// Seconds of silence after which a host is taken for down.
    var unreachableTimeout = 30.0
    /// Which of equal priority goes first.
    var order = DownloadOrder.fifo
  }

  private struct Entry: Comparable, Sendable {
    var priority: Int
    /// Counted up for FIFO, down for LIFO.
    var turn: Int
    var id: ID

    static func < (left: Entry, right: Entry) -> Bool {
      (-left.priority, left.turn) < (-right.priority, right.turn)
    }
  }

  private struct Host: Sendable {
    var pending = Heap<Entry>()
    /// Entries of `pending` that were removed.
    var removed = 0
    var active = 0
    var hasAnswered = false
    /// Not before this time.
    var pausedUntil = -Double.infinity
    /// When the next start is due by the rate.
    var nextStart = -Double.infinity
    var breaker = CircuitBreaker()
    var version = 0
  }

  /// A host in one of the heaps, valid as long as its version is the host's.
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
  /// Hosts that wait until fewer new ones are active.
  private var newHosts = Heap<Turn>()
  private var activeNewHosts = 0
  private var downHosts: Set<String> = []
  private var turns = 0

  init(limits: Limits) {
    self.limits = limits
  }

  /// How many wait.
  var pendingCount: Int { pendingHosts.count }
  /// How many hold a slot.
  var activeCount: Int { holders.count }
  /// How many of a host hold a slot.
  func activeCount(of host: String) -> Int { hosts[host]?.active ?? 0 }

  // MARK: Events

  /// A download asks for a slot. One that waits or holds one already is left as it is.
  mutating func add(_ id: ID, host: String, priority: Int) {
    guard pendingHosts[id] == nil, holders[id] == nil else { return }
    turns += 1
    let turn = limits.order == .fifo ? turns : -turns
    // One copy of the name, whoever brings it.
    let host = hosts.index(forKey: host).map { hosts[$0].key } ?? host
    pendingHosts[id] = (host, turn)
    hosts[host, default: Host()].pending.insert(Entry(priority: priority, turn: turn, id: id))
    offer(host)
  }

  /// A pending download no longer wants a slot.
  /// - Returns: whether it was pending.
  @discardableResult
  mutating func remove(_ id: ID) -> Bool {
    guard let (name, _) = pendingHosts.removeValue(forKey: id) else { return false }
    hosts[name]?.removed += 1
    if let host = hosts[name], host.removed > 32, host.removed > host.pending.count / 2 { compact(name) }
    dropIfIdle(name)
    return true
  }

  /// A download gives its slot back.
  /// - Returns: whether it had one.
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

  /// A host is left alone until a time; its slots go to others.
  mutating func pause(_ host: String, until time: Double) {
    hosts[host, default: Host()].pausedUntil = max(time, hosts[host]?.pausedUntil ?? time)
    hosts[host]?.version += 1
    offer(host)
  }

  /// An attempt at a host has ended, its slot not yet given back.
  /// - Returns: until when the host is left alone; nil if it isn't.
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

  /// The pending downloads of hosts that are down: they are not to wait.
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

  /// The downloads that get a slot now, in the order of their starts.
  mutating func takeReady(now: Double) -> [ID] {
    while let wake = sleeping.min, wake.time <= now {
      sleeping.removeMin()
      if hosts[wake.host]?.version == wake.version { offer(wake.host) }
    }
    var started: [ID] = []
    while holders.count < limits.total, let turn = ready.popMin() {
      guard hosts[turn.host]?.version == turn.version else { continue }
      if let id = start(turn, now: now) { started.append(id) }
    }
    return started
  }

  /// When ``takeReady(now:)`` is to be called again though nothing else happens; nil if never.
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

  /// Starts the first download of a host whose turn it is, unless something has come between.
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
    // In place: a copy of the host would make the heap's storage shared, and removing from it a copy of all.
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

  /// Whether a start would be the first that the host sees.
  private func isNewHost(_ name: String) -> Bool {
    hosts[name].map { !$0.hasAnswered && $0.active == 0 } ?? false
  }

  private func limit(of name: String) -> Int { max(1, limits.byHost[name] ?? limits.perHost) }

  /// Puts a host into the heap where it belongs now; whatever entry it had before is void.
  private mutating func offer(_ name: String) {
    hosts[name]?.version += 1
    guard let entry = first(of: name), let host = hosts[name] else { return }
    guard host.active < host.breaker.slots(of: limit(of: name)) else { return }
    ready.insert(Turn(entry: entry, host: name, version: host.version))
  }

  /// A host's first pending download; removed ones above it are dropped.
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

  /// Forgets a host that never answered and has nothing left: a manifest may name very many.
  private mutating func dropIfIdle(_ name: String) {
    guard let host = hosts[name], host.active == 0, !host.hasAnswered, first(of: name) == nil,
      host.pausedUntil == -.infinity, host.breaker.downUntil == nil
    else { return }
    hosts[name] = nil
  }
}
