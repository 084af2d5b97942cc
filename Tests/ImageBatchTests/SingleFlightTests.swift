import TestSupport
import Testing

@testable import ImageBatch

@Suite("One flight for each key", .timeLimit(.minutes(8)))
struct SingleFlightTests {
  @Test("the first makes a key, the others get what it has made")
  func shared() async {
    let flights = SingleFlight<String, Int>()
    #expect(flights.join("a") == nil)
    let others = (0..<5).compactMap { _ in flights.join("a") }
    #expect(others.count == 5)
    async let early = others[0].value
    flights.complete("a", 7)
    #expect(await early == 7)
    // Those that ask after the end get it too.
    for other in others { #expect(await other.value == 7) }
  }

  @Test("keys have nothing to do with each other")
  func independent() async {
    let flights = SingleFlight<Int, Int>()
    for key in 0..<10 { #expect(flights.join(key) == nil) }
    let joined = (0..<10).compactMap { flights.join($0) }
    for key in (0..<10).reversed() { flights.complete(key, key * key) }
    for (key, flight) in joined.enumerated() { #expect(await flight.value == key * key) }
  }

  @Test("a key that is complete is made anew by who asks next, and keeps no value")
  func again() async {
    let flights = SingleFlight<String, Int>()
    #expect(flights.join("a") == nil)
    let old = flights.join("a")
    flights.complete("a", 1)
    #expect(flights.join("a") == nil)
    let new = flights.join("a")
    flights.complete("a", 2)
    #expect(await old?.value == 1)
    #expect(await new?.value == 2)
  }

  @Test("completing a key that nobody makes, or twice, changes nothing")
  func spurious() async {
    let flights = SingleFlight<String, Int>()
    flights.complete("a", 1)
    #expect(flights.join("a") == nil)
    let flight = flights.join("a")
    flights.complete("a", 2)
    flights.complete("a", 3)
    #expect(await flight?.value == 2)
  }

  @Test("many at once: each key is made by one at a time, and everybody gets what that one made")
  func many() async {
    let seed = SeededRandom.seed
    let flights = SingleFlight<Int, Int>()
    let making = Shared<Set<Int>>([])
    let made = Shared<Set<Int>>([])
    let numbers = Shared(0)
    await withTaskGroup(of: Void.self) { tasks in
      for worker in 0..<16 {
        tasks.addTask {
          var random = SeededRandom(seed: seed &+ UInt64(worker))
          for _ in 0..<300 {
            let key = Int.random(in: 0..<4, using: &random)
            if let flight = flights.join(key) {
              let value = await flight.value
              #expect(value % 4 == key && made.value.contains(value), "seed \(seed)")
              continue
            }
            #expect(making.change { $0.insert(key).inserted }, "seed \(seed)")
            if Bool.random(using: &random) { await Task.yield() }
            let value = numbers.change { number in
              number += 1
              return number * 4 + key
            }
            made.change { _ = $0.insert(value) }
            making.change { _ = $0.remove(key) }
            flights.complete(key, value)
          }
        }
      }
    }
  }

  @Test("a key that was completed is known to have been, until thousands of others were")
  func completed() {
    let flights = SingleFlight<Int, Int>()
    #expect(flights.join(1) == nil && !flights.wasCompleted(1))
    flights.complete(1, 7)
    #expect(flights.wasCompleted(1) && !flights.wasCompleted(2))
    for key in 2..<4097 { flights.complete(key, 0) }
    #expect(flights.wasCompleted(1))
    flights.complete(4097, 0)
    #expect(!flights.wasCompleted(1) && flights.wasCompleted(4097))
  }
}
