import Vips

// The compiler makes vector code of the innermost loops here, which is why they are loops over pointers.

/// Both passes of a kernel over a rectangle, in numbers of 16 bits that are 256 times those of 8.
struct FixedPass: Sendable {
  /// From the first to the last, in 1/65536.
  let weights: [UInt32]
  let bands: Int
  /// Whether the input has 16 bits.
  let isWide: Bool

  /// To 8 bits.
  func run(_ input: PixelRows, _ output: PixelRows) {
    let count = output.width * bands
    // Each product of both passes has lost half a unit on average. It is given back here and not before: what was
    // nothing stays nothing.
    let rounding = UInt16(128 + weights.count)
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: count) { buffer in
      guard let row = buffer.baseAddress else { return }
      rows(input, output) { y, column in
        along(column, into: row, count: count)
        let result = output.row(y).assumingMemoryBound(to: UInt8.self)
        for index in 0..<count { result[index] = UInt8(truncatingIfNeeded: (row[index] &+ rounding) &>> 8) }
      }
    }
  }

  /// To 16 bits.
  func runKeepingFractions(_ input: PixelRows, _ output: PixelRows) {
    rows(input, output) { y, column in
      along(column, into: output.row(y).assumingMemoryBound(to: UInt16.self), count: output.width * bands)
    }
  }

  /// Sums down the columns, for each row of the output.
  private func rows(
    _ input: PixelRows, _ output: PixelRows, _ body: (Int, UnsafePointer<UInt16>) -> Void
  ) {
    let count = input.width * bands
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: count) { buffer in
      guard let column = buffer.baseAddress else { return }
      for y in 0..<output.height {
        column.initialize(repeating: 0, count: count)
        for (index, weight) in weights.enumerated() {
          let line = input.row(y + index)
          if isWide {
            Self.add(line.assumingMemoryBound(to: UInt16.self), times: weight, to: column, count: count)
          } else {
            Self.add(line.assumingMemoryBound(to: UInt8.self), times: weight, to: column, count: count)
          }
        }
        body(y, column)
      }
    }
  }

  private func along(_ column: UnsafePointer<UInt16>, into row: UnsafeMutablePointer<UInt16>, count: Int) {
    row.initialize(repeating: 0, count: count)
    for (index, weight) in weights.enumerated() {
      Self.add(column + index * bands, times: weight, to: row, count: count)
    }
  }

  private static func add(
    _ numbers: UnsafePointer<UInt8>, times weight: UInt32, to sums: UnsafeMutablePointer<UInt16>, count: Int
  ) {
    for index in 0..<count {
      let product = UInt32(UInt16(numbers[index]) &<< 8) &* weight
      sums[index] &+= UInt16(truncatingIfNeeded: product &>> 16)
    }
  }

  private static func add(
    _ numbers: UnsafePointer<UInt16>, times weight: UInt32, to sums: UnsafeMutablePointer<UInt16>, count: Int
  ) {
    for index in 0..<count {
      let product = UInt32(numbers[index]) &* weight
      sums[index] &+= UInt16(truncatingIfNeeded: product &>> 16)
    }
  }
}

/// Both passes of a kernel over a rectangle of 16-bit numbers, in floating point: fractions of premultiplied colors and
/// of dark light are divided again by little.
struct FloatPass: Sendable {
  /// From the first to the last; they sum to 1.
  let weights: [Float]
  let bands: Int

  func run(_ input: PixelRows, _ output: PixelRows) {
    let (wide, count) = (input.width * bands, output.width * bands)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: wide + count) { buffer in
      guard let column = buffer.baseAddress else { return }
      let row = column + wide
      for y in 0..<output.height {
        column.initialize(repeating: 0, count: wide)
        for (index, weight) in weights.enumerated() {
          let line = input.row(y + index).assumingMemoryBound(to: UInt16.self)
          for place in 0..<wide { column[place] += Float(line[place]) * weight }
        }
        row.initialize(repeating: 0.5, count: count)
        for (index, weight) in weights.enumerated() {
          let shifted = column + index * bands
          for place in 0..<count { row[place] += shifted[place] * weight }
        }
        let result = output.row(y).assumingMemoryBound(to: UInt16.self)
        for place in 0..<count { result[place] = UInt16(truncatingIfNeeded: Int32(row[place])) }
      }
    }
  }
}
