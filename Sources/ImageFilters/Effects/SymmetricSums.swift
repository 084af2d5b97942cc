/// The weighted sums of samples and their neighbors on both sides, in 16-bit fixed point.
///
/// Two implementations give the same results. Computing eight sums at a time in registers takes a third of the time of
/// loops over pointers, which LLVM leaves scalar or multiplies in 32 bits. Without optimization each SIMD operation is
/// a generic call and takes a hundred times as long, so debug builds compute one sum at a time.
struct SymmetricSums: Sendable {
  /// The weights from the center outward, in 1/65536. All except the first are doubled, because they multiply the mean
  /// of two samples.
  private let weights: [UInt16]

  init(_ kernel: SeparableKernel) {
    weights = kernel.weights.prefix(1) + kernel.weights.dropFirst().map { 2 * $0 }
  }

  /// The number of neighbors on each side.
  var reach: Int { weights.count - 1 }

  /// Sums `count` adjacent samples, each with its neighbors.
  /// - Parameters:
  ///   - middle: The first sample.
  ///   - isWide: Whether samples have 16 bits. 8-bit samples are multiplied by 256.
  ///   - step: The distance from a sample to its next neighbor, in bytes.
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
/// A sample type that a pass can read.
protocol FixedNumber: SIMDScalar, Codable, Hashable {
  /// The means of eight pairs of samples, in 16 bits.
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
  /// Loads eight unaligned samples, reading only the first `count`; the others are 0.
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
  /// The upper 16 bits of the products, which compiles to `pmulhuw`.
  @inline(__always)
  fileprivate func high(_ factor: UInt16) -> SIMD8<UInt16> {
    let products = SIMD8<UInt32>(truncatingIfNeeded: self) &* SIMD8<UInt32>(repeating: UInt32(factor))
    return SIMD8(truncatingIfNeeded: products &>> 16)
  }
}
