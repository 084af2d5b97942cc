import TestSupport
import Testing

@testable import ImageDownloads

/// A queue of equal downloads with what the test knows of them.
private struct Model {
  var pending: [Int: (host: String, priority: Int, turn: Int)] = [:]
  var active: [Int: String] = [:]
  var pauses: [String: Double] = [:]
  var turn = 0
  var now = 0.0
}

@Suite("The download queue", .timeLimit(.minutes(8)))
struct DownloadQueueTests {
  private func queue(_ change: (inout DownloadQueue<Int>.Limits) -> Void = { _ in }) -> DownloadQueue<Int> {
    var limits = DownloadQueue<Int>.Limits()
    change(&limits)
    return DownloadQueue(limits: limits)
  }

  @Test("first in goes first out, priority before that")
  func fifo() {
    var queue = queue { $0.total = 1 }
    for (id, priority) in [(1, 0), (2, 0), (3, 7), (4, 0)] { queue.add(id, host: "a", priority: priority) }
    var order: [Int] = []
    while let next = queue.takeReady(now: 0).first {
      order.append(next)
      queue.release(next)
    }
    #expect(order == [3, 1, 2, 4])
  }

  @Test("last in goes first out, priority before that")
  func lifo() {
    var queue = queue {
      $0.total = 1
      $0.order = .lifo
    }
    for (id, priority) in [(1, 0), (2, 0), (3, 7), (4, 0)] {
      queue.add(id, host: "h\(id % 2)", priority: priority)
    }
    var order: [Int] = []
    while let next = queue.takeReady(now: 0).first {
      order.append(next)
      queue.release(next)
    }
    #expect(order == [3, 4, 2, 1])
  }

  @Test("a paused host gives its slots to others and comes back by itself")
  func pauses() {
    var queue = queue { $0.total = 2 }
    queue.add(1, host: "slow", priority: 0)
    queue.add(2, host: "fast", priority: 0)
    queue.pause("slow", until: 10)
    #expect(queue.takeReady(now: 0) == [2])
    #expect(queue.nextWake == 10)
    #expect(queue.takeReady(now: 9.9) == [])
    #expect(queue.takeReady(now: 10) == [1])
    #expect(queue.nextWake == nil)
  }

  @Test("a host starts no more often than its rate")
  func rate() {
    var queue = queue { $0.rate = 4 }
    for id in 0..<10 { queue.add(id, host: "a", priority: 0) }
    var starts: [Double] = []
    var now = 0.0
    while starts.count < 10 {
      for id in queue.takeReady(now: now) {
        starts.append(now)
        queue.release(id)
      }
      if let wake = queue.nextWake { now = wake }
    }
    #expect(zip(starts, starts.dropFirst()).allSatisfy { $1 - $0 >= 0.25 - 1e-9 })
    #expect(starts.last == 2.25)
  }

  @Test("no more hosts are met at once than allowed; a known one needs no introduction")
  func newHosts() {
    var queue = queue {
      $0.total = 100
      $0.newHosts = 2
    }
    for id in 0..<6 { queue.add(id, host: "h\(id)", priority: 0) }
    #expect(queue.takeReady(now: 0) == [0, 1])
    queue.add(6, host: "h0", priority: 0)
    #expect(queue.takeReady(now: 0) == [6])
    queue.release(0)
    #expect(queue.takeReady(now: 0) == [2])
    queue.release(1)
    queue.release(2)
    #expect(queue.takeReady(now: 0) == [3, 4])
  }

  @Test("a slot can't be given back twice, nor by who never had it")
  func tokens() {
    var queue = queue { $0.total = 1 }
    for id in 1...3 { queue.add(id, host: "a", priority: 0) }
    #expect(queue.takeReady(now: 0) == [1])
    #expect(queue.release(1) && !queue.release(1) && !queue.release(2))
    #expect(queue.takeReady(now: 0) == [2])
    #expect(queue.takeReady(now: 0) == [])
    #expect(queue.remove(3) && !queue.remove(3) && !queue.remove(2))
  }

  @Test("a hundred thousand pending downloads of one host cost no more than their logarithms")
  func size() {
    var queue = queue()
    for id in 0..<100_000 { queue.add(id, host: "a", priority: id % 3) }
    for id in stride(from: 0, to: 100_000, by: 2) { queue.remove(id) }
    var count = 0
    while true {
      let ready = queue.takeReady(now: 0)
      if ready.isEmpty { break }
      count += ready.count
      for id in ready { queue.release(id) }
    }
    #expect(count == 50_000 && queue.pendingCount == 0 && queue.activeCount == 0)
  }

  @Test("10,000 random sequences: the limits hold, the order is right, nothing is lost or started twice")
  func random() {
    let seed = SeededRandom.seed
    var generator = SeededRandom(seed: seed)
    for sequence in 0..<10_000 {
      guard run(&generator) else {
        Issue.record("sequence \(sequence) of seed \(seed) failed")
        return
      }
    }
  }

  private func run(_ generator: inout SeededRandom) -> Bool {
    let total = Int.random(in: 1...5, using: &generator)
    let perHost = Int.random(in: 1...3, using: &generator)
    let newHosts = Int.random(in: 1...3, using: &generator)
    let order: DownloadOrder = Bool.random(using: &generator) ? .fifo : .lifo
    var queue = queue {
      $0.total = total
      $0.perHost = perHost
      $0.newHosts = newHosts
      $0.order = order
    }
    var model = Model()
    var next = 0
    for _ in 0..<40 {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<5:
        let host = "h\(Int.random(in: 0..<4, using: &generator))"
        let priority = Int.random(in: 0..<3, using: &generator)
        model.turn += 1
        queue.add(next, host: host, priority: priority)
        model.pending[next] = (host, priority, order == .fifo ? model.turn : -model.turn)
        next += 1
      case 5:
        let id = Int.random(in: 0...next, using: &generator)
        guard queue.remove(id) == (model.pending.removeValue(forKey: id) != nil) else { return false }
      case 6, 7:
        let id = Int.random(in: 0...next, using: &generator)
        guard queue.release(id) == (model.active.removeValue(forKey: id) != nil) else { return false }
      case 8:
        let host = "h\(Int.random(in: 0..<4, using: &generator))"
        let time = model.now + Double.random(in: 0...3, using: &generator)
        queue.pause(host, until: time)
        model.pauses[host] = max(model.pauses[host] ?? 0, time)
      default: model.now += Double.random(in: 0...2, using: &generator)
      }
      guard start(&queue, &model, total, perHost) else { return false }
    }
    // In the end everything that wasn't removed gets its turn.
    model.now += 100
    while !model.pending.isEmpty || !model.active.isEmpty {
      for id in Array(model.active.keys) {
        guard queue.release(id) else { return false }
        model.active[id] = nil
      }
      let before = model.pending.count
      guard start(&queue, &model, total, perHost) else { return false }
      if !model.pending.isEmpty, model.pending.count == before { return false }
    }
    return queue.pendingCount == 0 && queue.activeCount == 0
  }

  private func start(
    _ queue: inout DownloadQueue<Int>, _ model: inout Model, _ total: Int, _ perHost: Int
  ) -> Bool {
    for id in queue.takeReady(now: model.now) {
      guard let started = model.pending.removeValue(forKey: id) else { return false }
      guard model.now >= model.pauses[started.host] ?? 0 else { return false }
      // Nobody of the same host that waits should have gone before.
      let overtaken = model.pending.values.contains { other in
        other.host == started.host && (-other.priority, other.turn) < (-started.priority, started.turn)
      }
      guard !overtaken else { return false }
      model.active[id] = started.host
    }
    let hosts = Dictionary(grouping: model.active.values, by: \.self)
    guard model.active.count <= total, hosts.values.allSatisfy({ $0.count <= perHost }) else { return false }
    return queue.activeCount == model.active.count && queue.pendingCount == model.pending.count
  }
}
