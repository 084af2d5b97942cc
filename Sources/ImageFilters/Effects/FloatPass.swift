import Vips

/// Both passes of a kernel over a rectangle of 16-bit numbers, in floating point: fractions of premultiplied colors and
/// of dark light are divided again by little.
///
/// The compiler makes vector code of the innermost loops, which is why they are loops over pointers.
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
