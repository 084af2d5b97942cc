import Collections

/// Memory for rendering, handed out by need: a request enters when its estimate fits what is free, and one that needs
/// more than there is enters alone.
///
/// In the order of arrival: a large request that waits isn't overtaken by small ones, which could keep it waiting for
/// ever.
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

  /// In bytes.
  let total: Int
  private(set) var used = 0
  private var waiting: Deque<Waiter> = []

  init(total: Int) { self.total = total }

  /// What a request is charged: all there is for one that needs more, or whose need isn't known.
  func charge(for estimate: Int?) -> Int { min(total, max(0, estimate ?? total)) }

  /// Lets a request in, or has it wait.
  /// - Parameter bytes: what ``charge(for:)`` says.
  /// - Returns: whether it is in.
  mutating func enter(_ ticket: Ticket, bytes: Int) -> Bool {
    guard waiting.isEmpty, fits(bytes) else {
      waiting.append(Waiter(ticket: ticket, bytes: bytes))
      return false
    }
    used += bytes
    return true
  }

  /// Gives memory back.
  /// - Returns: those that are in now, in the order of their arrival.
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

  /// Sends everybody away who waits.
  mutating func removeWaiting() -> [Ticket] {
    defer { waiting = [] }
    return waiting.map(\.ticket)
  }

  private func fits(_ bytes: Int) -> Bool { used == 0 || used + bytes <= total }
}
