import TestSupport
import Testing

@testable import ImageBatch

@Suite("A table of hashes", .timeLimit(.minutes(8)))
struct HashTableTests {
  @Test(
    "has what a dictionary has, in any order of additions, and after a part is removed",
    arguments: [0, 1, 7, 50_000])
  func dictionary(count: Int) {
    var random = SeededRandom(seed: SeededRandom.seed)
    print("IMAGEMILL_TEST_SEED=\(SeededRandom.seed)")
    var table = HashTable<UInt32>()
    var expected: [UInt64: UInt32] = [:]
    // Some hashes come twice, some differ in their last bits only, and the smallest and the largest are among them.
    var hashes: [UInt64] = count > 1 ? [0, .max, .max - 1] : []
    while hashes.count < count {
      let hash = UInt64.random(in: .min ... .max, using: &random)
      hashes += hash % 3 == 0 ? [hash, hash] : hash % 3 == 1 ? [hash, hash ^ 1] : [hash]
    }
    hashes.shuffle(using: &random)
    for (value, hash) in hashes.enumerated() {
      let value = UInt32(value)
      #expect(table[hash] == expected[hash])
      #expect(table.insert(value, for: hash) == expected[hash])
      if expected[hash] == nil { expected[hash] = value }
    }
    #expect(table.count == expected.count)
    #expect(expected.allSatisfy { table[$0.key] == $0.value })
    #expect(hashes.allSatisfy { expected[$0 ^ 2] == table[$0 ^ 2] })
    table.filter { $0 % 2 == 0 }
    #expect(table.count == expected.count { $0.key % 2 == 0 })
    #expect(expected.allSatisfy { table[$0.key] == ($0.key % 2 == 0 ? $0.value : nil) })
    for hash in hashes where hash % 2 == 1 { _ = table.insert(9, for: hash) }
    #expect(hashes.allSatisfy { table[$0] == ($0 % 2 == 0 ? expected[$0] : 9) })
  }
}
