import Collections

/// Admits rendering requests by estimated memory. A request enters if its estimate fits the free memory; one that needs
/// more than the total enters alone.
///
/// Requests enter in order of arrival: if small ones could overtake a large one, it might wait forever.
///
///     var admission = MemoryAdmission<Int>(total: 100)
///     admission.enter(1, bytes: 60)   // true
///     admission.enter(2, bytes: 60)   // false: it waits
///     admission.enter(3, bytes: 10)   // false: behind 2
///     admission.leave(bytes: 60)      // [2, 3]
struct MemoryAdmission<Ticket> {
  private struct Waiter {
    var ticket: Ticket
    var bytes: Int
  }

  /// The memory to share, in bytes.
  let total: Int
  private(set) var used = 0
  private var waiting: Deque<Waiter> = []

  init(total: Int) { self.total = total }

  /// The bytes to charge for an estimate, at most the total. An unknown estimate is charged the total.
  func charge(for estimate: Int?) -> Int { min(total, max(0, estimate ?? total)) }

  /// Admits a request or queues it.
  /// - Parameter bytes: The result of ``charge(for:)``.
  /// - Returns: Whether it was admitted.
  mutating func enter(_ ticket: Ticket, bytes: Int) -> Bool {
    guard waiting.isEmpty, fits(bytes) else {
      waiting.append(Waiter(ticket: ticket, bytes: bytes))
      return false
    }
    used += bytes
    return true
  }

  /// Releases memory.
  /// - Returns: The queued requests that are admitted now, in order of arrival.
  mutating func leave(bytes: Int) -> [Ticket] {
    used -= bytes
    var admitted: [Ticket] = []
    while let next = waiting.first, fits(next.bytes) {
      waiting.removeFirst()
      used += next.bytes
      admitted.append(next.ticket)
    }
    return admitted
  }

  /// Removes and returns all queued requests.
  mutating func removeWaiting() -> [Ticket] {
    defer { waiting = [] }
    return waiting.map(\.ticket)
  }

  private func fits(_ bytes: Int) -> Bool { used == 0 || used + bytes <= total }
}
