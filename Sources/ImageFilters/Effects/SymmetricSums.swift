/// The weighted sums of numbers and their neighbours on both sides, in 16-bit fixed point.
///
/// It is written twice, with the same results. Eight sums at a time, in registers, take a third of the time of loops over
/// pointers, which LLVM makes scalar or multiplies in 32 bits. Without optimization each operation on a SIMD type is a
/// generic call, which takes a hundred times as long; so debug builds add one by one.
struct SymmetricSums: Sendable {
  /// From the middle outward, in 1/65536; all but the first are doubled, because they multiply the mean of two numbers.
  private let weights: [UInt16]

  init(_ kernel: SeparableKernel) {
    weights = kernel.weights.prefix(1) + kernel.weights.dropFirst().map { 2 * $0 }
  }

  /// Neighbours on each side.
  var reach: Int { weights.count - 1 }

  /// Sums `count` numbers that lie side by side, each with its neighbours.
  /// - Parameters:
  ///   - middle: The first number.
  ///   - isWide: Whether numbers have 16 bits; those of 8 count 256 times.
  ///   - step: From a number to its next neighbour, in bytes.
  func add(
    around middle: UnsafeRawPointer, isWide: Bool, step: Int, into sums: UnsafeMutablePointer<UInt16>,
    count: Int
  ) {
    #if DEBUG
      addOneByOne(around: middle, isWide: isWide, step: step, into: sums, count: count)
    #else
      addEightAtATime(around: middle, isWide: isWide, step: step, into: sums, count: count)
    #endif
  }

  func addOneByOne(
    around middle: UnsafeRawPointer, isWide: Bool, step: Int, into sums: UnsafeMutablePointer<UInt16>,
    count: Int
  ) {
    sums.initialize(repeating: 0, count: count)
    for (distance, weight) in weights.enumerated() {
      let (before, after, factor) = (middle - distance * step, middle + distance * step, UInt32(weight))
      if isWide {
        let (before, after) = (
          before.assumingMemoryBound(to: UInt16.self), after.assumingMemoryBound(to: UInt16.self)
        )
        for index in 0..<count {
          let mean = (UInt32(before[index]) &+ UInt32(after[index]) &+ 1) &>> 1
          sums[index] &+= UInt16(truncatingIfNeeded: (mean &* factor) &>> 16)
        }
      } else {
        let (before, after) = (
          before.assumingMemoryBound(to: UInt8.self), after.assumingMemoryBound(to: UInt8.self)
        )
        for index in 0..<count {
          let mean = (UInt32(before[index]) &+ UInt32(after[index])) &<< 7
          sums[index] &+= UInt16(truncatingIfNeeded: (mean &* factor) &>> 16)
        }
      }
    }
  }

  func addEightAtATime(
    around middle: UnsafeRawPointer, isWide: Bool, step: Int, into sums: UnsafeMutablePointer<UInt16>,
    count: Int
  ) {
    if isWide {
      addEight(UInt16.self, around: middle, step: step, into: sums, count: count)
    } else {
      addEight(UInt8.self, around: middle, step: step, into: sums, count: count)
    }
  }

  private func addEight<Number: FixedNumber>(
    _: Number.Type, around middle: UnsafeRawPointer, step: Int, into sums: UnsafeMutablePointer<UInt16>,
    count: Int
  ) {
    weights.withUnsafeBufferPointer { weights in
      @inline(__always) func eight(_ index: Int, _ count: Int) -> SIMD8<UInt16> {
        let place = middle + index * MemoryLayout<Number>.size
        var sum = Number.mean(.loaded(place, count), .loaded(place, count)).high(weights[0])
        for distance in 1..<weights.count {
          let (before, after) = (place - distance * step, place + distance * step)
          sum &+= Number.mean(.loaded(before, count), .loaded(after, count)).high(weights[distance])
        }
        return sum
      }
      var index = 0
      while index + 8 <= count {
        UnsafeMutableRawPointer(sums + index).storeBytes(of: eight(index, 8), as: SIMD8<UInt16>.self)
        index += 8
      }
      guard index < count else { return }
      let last = eight(index, count - index)
      for place in index..<count { sums[place] = last[place - index] }
    }
  }
}
/// What a pass reads.
protocol FixedNumber: SIMDScalar, Codable, Hashable {
  /// The means of two numbers each, in 16 bits.
  static func mean(_ first: SIMD8<Self>, _ second: SIMD8<Self>) -> SIMD8<UInt16>
}

extension UInt8: FixedNumber {
  @inline(__always)
  static func mean(_ first: SIMD8<UInt8>, _ second: SIMD8<UInt8>) -> SIMD8<UInt16> {
    (SIMD8(truncatingIfNeeded: first) &+ SIMD8(truncatingIfNeeded: second)) &<< 7
  }
}

extension UInt16: FixedNumber {
  @inline(__always)
  static func mean(_ first: SIMD8<UInt16>, _ second: SIMD8<UInt16>) -> SIMD8<UInt16> {
    let sum = SIMD8<UInt32>(truncatingIfNeeded: first) &+ SIMD8<UInt32>(truncatingIfNeeded: second) &+ 1
    return SIMD8(truncatingIfNeeded: sum &>> 1)
  }
}

extension SIMD8 {
  /// Eight numbers from anywhere in memory, of which the first `count` exist.
  @inline(__always)
  static func loaded(_ place: UnsafeRawPointer, _ count: Int = 8) -> SIMD8 {
    if count >= 8 { return place.loadUnaligned(as: SIMD8.self) }
    var numbers = SIMD8()
    withUnsafeMutableBytes(of: &numbers) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: place, count: count * MemoryLayout<Scalar>.size))
    }
    return numbers
  }
}

extension SIMD8<UInt16> {
  /// The upper 16 bits of the products: `pmulhuw`.
  @inline(__always)
  fileprivate func high(_ factor: UInt16) -> SIMD8<UInt16> {
    let products = SIMD8<UInt32>(truncatingIfNeeded: self) &* SIMD8<UInt32>(repeating: UInt32(factor))
    return SIMD8(truncatingIfNeeded: products &>> 16)
  }
}
