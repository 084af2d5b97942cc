import Vips

/// Both passes of a kernel over a rectangle, in numbers of 16 bits that are 256 times those of 8.
///
/// Eight sums are made at a time, in registers: written as loops over pointers, LLVM makes them scalar or multiplies in
/// 32 bits, which takes three times as long. `high` is SSE2's `pmulhuw`, `mean` of 16 bits its `pavgw`.
struct FixedPass: Sendable {
  /// From the middle outward, in 1/65536; all but the first are doubled, because they multiply the mean of two numbers.
  private let weights: [UInt16]
  private let bands: Int
  /// Whether the input has 16 bits.
  private let isWide: Bool

  init(_ kernel: SeparableKernel, bands: Int, isWide: Bool) {
    weights = kernel.weights.prefix(1) + kernel.weights.dropFirst().map { 2 * $0 }
    self.bands = bands
    self.isWide = isWide
  }

  /// To 8 bits.
  func run(_ input: PixelRows, _ output: PixelRows) {
    let count = output.width * bands
    // Each product of both passes has lost half a unit on average. It is given back here and not before: what was
    // nothing stays nothing.
    let rounding = UInt16(128 + weights.count)
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: count) { buffer in
      guard let row = buffer.baseAddress else { return }
      run(input, output) { _ in
        row
      } body: { y in
        let result = output.row(y).assumingMemoryBound(to: UInt8.self)
        for index in 0..<count { result[index] = UInt8(truncatingIfNeeded: (row[index] &+ rounding) &>> 8) }
      }
    }
  }

  /// To 16 bits.
  func runKeepingFractions(_ input: PixelRows, _ output: PixelRows) {
    run(input, output) {
      output.row($0).assumingMemoryBound(to: UInt16.self)
    } body: { _ in
    }
  }

  private func run(
    _ input: PixelRows, _ output: PixelRows, into row: (Int) -> UnsafeMutablePointer<UInt16>,
    body: (Int) -> Void
  ) {
    let (width, reach) = (input.width * bands, weights.count - 1)
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: width) { buffer in
      guard let column = buffer.baseAddress else { return }
      for y in 0..<output.height {
        let line = UnsafeRawPointer(input.row(y + reach))
        if isWide {
          sum(UInt16.self, around: line, step: input.stride, into: column, count: width)
        } else {
          sum(UInt8.self, around: line, step: input.stride, into: column, count: width)
        }
        let middle = UnsafeRawPointer(column + reach * bands)
        sum(UInt16.self, around: middle, step: bands * 2, into: row(y), count: output.width * bands)
        body(y)
      }
    }
  }

  /// The weighted sums of `count` numbers and their neighbours on both sides, which are `step` bytes apart.
  private func sum<Number: FixedNumber>(
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
  /// The upper 16 bits of the products.
  @inline(__always)
  fileprivate func high(_ factor: UInt16) -> SIMD8<UInt16> {
    let products = SIMD8<UInt32>(truncatingIfNeeded: self) &* SIMD8<UInt32>(repeating: UInt32(factor))
    return SIMD8(truncatingIfNeeded: products &>> 16)
  }
}
