import Vips

/// Both passes of a kernel over a rectangle of 16-bit samples, in floating point.
///
/// Premultiplied colors and dark linear light need the precision: converting them back amplifies rounding errors.
/// The innermost loops run over pointers so that the compiler vectorizes them.
struct FloatPass: Sendable {
  /// The kernel's weights from end to end; their sum is 1.
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
