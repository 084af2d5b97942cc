import CReduce

/// The weights that reduce a line of input pixels to a shorter line of output pixels.
struct ReductionAxis: Sendable {
  /// The first input pixel that each output pixel reads.
  private(set) var starts: [Int32] = []
  /// The number of input pixels that each output pixel reads.
  private(set) var counts: [Int] = []
  /// `taps` weights for each output pixel, in fixed point.
  private(set) var weights: [Int16] = []
  /// The most input pixels that an output pixel reads, rounded up to an even number.
  let taps: Int
  /// The length of the input line in pixels.
  let side: Int

  /// - Parameters:
  ///   - side: The length of the input line in pixels.
  ///   - factor: The scale factor, at most 1.
  ///   - origin: The start of the input line in output pixels. Its edge pixels are repeated beyond its ends.
  ///   - length: The length of the output line in pixels.
  ///   - block: The number of input pixels that are averaged before the kernel weights them.
  init(
    _ kernel: ReductionKernel, side: Int, factor: Double, origin: Double, length: Int, block: Int
  ) {
    self.side = side
    let isCopy = factor >= 1 - 1e-9
    // The number of blocks for each output pixel.
    let scale = 1 / (factor * Double(block))
    let reach = isCopy ? 0.5 : kernel.reach * scale
    taps = min(side + side % 2, (Int((2 * reach).rounded(.up)) + 2) * block / 2 * 2 + 2)
    starts.reserveCapacity(length)
    counts.reserveCapacity(length)
    weights.reserveCapacity(length * taps)
    var sums = [Double](repeating: 0, count: taps)
    for index in 0..<length {
      let middle = (Double(index) + 0.5 - origin) / factor / Double(block)
      if isCopy {
        let pixel = min(max(Int(middle.rounded(.down)), 0), side - 1)
        append(start: pixel, [1])
        continue
      }
      // `middle` is in blocks; a block's center is 0.5 after its start.
      let first = Int((middle - 0.5 - reach).rounded(.up))
      let last = max(first, Int((middle - 0.5 + reach).rounded(.down)))
      let start = min(max(first * block, 0), side - 1)
      let end = min(max(last * block + block - 1, 0), side - 1)
      for place in 0...end - start { sums[place] = 0 }
      for number in first...last {
        let weight = kernel.weight(at: (Double(number) + 0.5 - middle) / scale)
        for pixel in number * block..<(number + 1) * block {
          sums[min(max(pixel, start), end) - start] += weight
        }
      }
      append(start: start, sums[0...end - start])
    }
  }

  /// Appends a pixel's weights, corrected to add up to exactly 1 in fixed point. An error would show in flat areas.
  private mutating func append(start: Int, _ sums: ArraySlice<Double>) {
    let one = Double(1 << CREDUCE_WEIGHT_BITS)
    let total = sums.reduce(0, +)
    let first = weights.count
    var (rest, largest) = (Int(one), first)
    for (place, sum) in sums.enumerated() {
      let weight = Int((sum / total * one).rounded())
      rest -= weight
      weights.append(Int16(clamping: weight))
      if weights[first + place] > weights[largest] { largest = first + place }
    }
    weights[largest] += Int16(clamping: rest)
    starts.append(Int32(start))
    counts.append(sums.count)
    for _ in sums.count..<max(sums.count, taps) { weights.append(0) }
  }

  /// Calls `body` with the table as a C struct, which is valid only during the call.
  func withLine<Result>(_ body: (creduce_line) -> Result) -> Result {
    starts.withUnsafeBufferPointer { starts in
      weights.withUnsafeBufferPointer { weights in
        body(
          creduce_line(
            starts: starts.baseAddress, weights: weights.baseAddress, taps: Int32(taps),
            count: Int32(starts.count)))
      }
    }
  }
}
