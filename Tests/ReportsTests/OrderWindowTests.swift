import Synchronization
import Testing

@testable import Reports

@Suite("An ordered stream's window", .timeLimit(.minutes(8)))
struct OrderWindowTests {
  @Test("lets its reader on when the oldest job ends")
  func advance() async {
    let window = OrderWindow()
    await window.admit(OrderWindow.size)
    let next = Task { await window.admit(OrderWindow.size + 1) }
    while !window.isHolding { await Task.yield() }
    window.advance(to: 0)
    #expect(window.isHolding)
    window.advance(to: 1)
    #expect(!window.isHolding)
    await next.value
  }

  @Test("lets a cancelled reader on, and holds nobody after that")
  func cancelled() async {
    let window = OrderWindow()
    let beyond = Task { await window.admit(OrderWindow.size + 2) }
    beyond.cancel()
    await beyond.value
    await window.admit(100 * OrderWindow.size)
  }
}
