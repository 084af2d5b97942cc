import Glibc
import TestSupport
import Testing

@testable import ImageRendering

@Suite("Memory for rendering", .timeLimit(.minutes(8)))
struct MemoryAdmissionTests {
  @Test("requests enter while they fit, in the order of their arrival")
  func order() {
    var admission = MemoryAdmission<Int>(total: 100)
    let entered = [
      admission.enter(1, bytes: 60), admission.enter(2, bytes: 60), admission.enter(3, bytes: 10),
    ]
    #expect(entered == [true, false, false], "the third would overtake the second")
    let admitted = admission.leave(bytes: 60)
    #expect(admitted == [2, 3])
    #expect(admission.used == 70)
  }

  @Test("a request that needs more than there is, or of which nothing is known, is alone")
  func alone() {
    var admission = MemoryAdmission<Int>(total: 100)
    #expect(admission.charge(for: 500) == 100)
    #expect(admission.charge(for: nil) == 100)
    let entered = [
      admission.enter(1, bytes: 1), admission.enter(2, bytes: 100), admission.enter(3, bytes: 1),
    ]
    #expect(entered == [true, false, false])
    let second = admission.leave(bytes: 1)
    #expect(second == [2])
    let third = admission.leave(bytes: 100)
    #expect(third == [3])
  }

  @Test("any sequence: never more than the total, everybody once, in order, and nothing left")
  func anySequence() {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for round in 0..<2000 {
      let total = Int.random(in: 0...50, using: &random)
      var admission = MemoryAdmission<Int>(total: total)
      var inside: [(ticket: Int, bytes: Int)] = []
      var charges: [Int] = []
      var entered: [Int] = []
      func admit(_ ticket: Int) {
        inside.append((ticket, charges[ticket]))
        entered.append(ticket)
      }
      for _ in 0..<60 {
        if Bool.random(using: &random) || inside.isEmpty, charges.count < 30 {
          let estimate =
            Int.random(in: 0...9, using: &random) == 0 ? nil : Int.random(in: 0...80, using: &random)
          charges.append(admission.charge(for: estimate))
          if admission.enter(charges.count - 1, bytes: charges[charges.count - 1]) {
            admit(charges.count - 1)
          }
        } else if let position = inside.indices.randomElement(using: &random) {
          let gone = inside.remove(at: position)
          for ticket in admission.leave(bytes: gone.bytes) { admit(ticket) }
        }
        let used = inside.reduce(0) { $0 + $1.bytes }
        #expect(used == admission.used && used <= total, "seed \(seed), round \(round)")
      }
      while let gone = inside.popLast() { for ticket in admission.leave(bytes: gone.bytes) { admit(ticket) } }
      #expect(entered == Array(charges.indices), "seed \(seed), round \(round)")
    }
  }
}
