import TestSupport
import Testing

@testable import ImageFilters

@Suite("Sums of symmetric kernels", .timeLimit(.minutes(8)))
struct SymmetricSumsTests {
  @Test("are the same one by one and eight at a time, and within two units a weight of the exact ones")
  func both() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for round in 0..<60 {
      let (count, reach, isWide) = (round % 23 + 1, Int.random(in: 0...20, using: &random), round % 2 == 0)
      let proportions = (0...reach).map { _ in Double.random(in: 0.01...1, using: &random) }
      let kernel = SeparableKernel(proportions: proportions.sorted(by: >))
      let size = isWide ? 2 : 1
      let bytes = (0..<(count + 2 * reach) * size).map { _ in UInt8.random(in: 0...255, using: &random) }
      // Numbers of 16 bits go up to 65,280.
      let numbers = stride(from: 0, to: bytes.count, by: size).map { place in
        isWide ? min(65_280, Int(bytes[place]) + Int(bytes[place + 1]) << 8) : Int(bytes[place]) << 8
      }
      let stored = isWide ? numbers.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] } : bytes
      let sums = SymmetricSums(kernel)
      var (single, eight) = ([UInt16](repeating: 1, count: count), [UInt16](repeating: 2, count: count))
      stored.withUnsafeBytes { buffer in
        guard let start = buffer.baseAddress else { return }
        let middle = start + reach * size
        single.withUnsafeMutableBufferPointer {
          guard let place = $0.baseAddress else { return }
          sums.addOneByOne(around: middle, isWide: isWide, step: size, into: place, count: count)
        }
        eight.withUnsafeMutableBufferPointer {
          guard let place = $0.baseAddress else { return }
          sums.addEightAtATime(around: middle, isWide: isWide, step: size, into: place, count: count)
        }
      }
      #expect(single == eight, "seed \(seed)")
      for index in 0..<count {
        var exact = 0.0
        for distance in -reach...reach {
          exact += Double(numbers[index + reach + distance]) * Double(kernel.weights[abs(distance)]) / 65_536
        }
        #expect(abs(Double(single[index]) - exact) <= Double(2 * reach + 2), "seed \(seed)")
      }
    }
  }
}
