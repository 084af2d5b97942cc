import Vips

/// Both passes of a kernel over a rectangle, in 16-bit fixed point: 8-bit samples times 256.
struct FixedPass: Sendable {
  private let sums: SymmetricSums
  private let bands: Int
  /// Whether the input has 16 bits.
  private let isWide: Bool

  init(_ kernel: SeparableKernel, bands: Int, isWide: Bool) {
    sums = SymmetricSums(kernel)
    self.bands = bands
    self.isWide = isWide
  }

  /// Writes 8-bit samples.
  func run(_ input: PixelRows, _ output: PixelRows) {
    let count = output.width * bands
    // Truncation costs each product of both passes half a unit on average. Adding it back only in this last shift
    // keeps 0 at 0.
    let rounding = UInt16(128 + sums.reach + 1)
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

  /// Writes 16-bit samples, without rounding to 8 bits.
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
    let (width, reach) = (input.width * bands, sums.reach)
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: width) { buffer in
      guard let column = buffer.baseAddress else { return }
      for y in 0..<output.height {
        let line = UnsafeRawPointer(input.row(y + reach))
        sums.add(around: line, isWide: isWide, step: input.stride, into: column, count: width)
        let middle = UnsafeRawPointer(column + reach * bands)
        sums.add(around: middle, isWide: true, step: bands * 2, into: row(y), count: output.width * bands)
        body(y)
      }
    }
  }
}
