import CReduce
import Vips

/// Makes an image smaller along both axes at once, on this thread, from its rows as they come.
///
/// libvips' `resize` does it with up to four operations, each with threads, buffers and vector code of its own, which
/// for an image of a web page takes longer than its pixels do. The weights are the same; sums are rounded once,
/// instead of after each operation.
struct Reduction {
  let kernel: ReductionKernel
  let across: (factor: Double, origin: Double)
  let down: (factor: Double, origin: Double)
  let canvas: Extent

  /// Whole factors beyond which pixels are averaged before the kernel weighs them: of the old pixels for a new one, so
  /// many are left to the kernel at least.
  let gap: Double

  /// The most that a result may take, in bytes. A larger one is computed by libvips, as it is asked for.
  static let largestResult = 64 << 20

  /// - Parameters:
  ///   - across: The factor of the width, at most 1, and where the left edge comes to lie, in pixels of the canvas.
  ///   - down: The same of the height and the upper edge.
  /// - Returns: nil where libvips does it: the image isn't made smaller, isn't of 8 or 16 bits, or the result is large.
  init?(
    _ image: VipsImage, kernel: String, gap: Double, across: (factor: Double, origin: Double),
    down: (factor: Double, origin: Double), canvas: Extent
  ) {
    let isExact = image.format == .uchar || image.format == .ushort && !image.hasAlpha
    guard let kernel = ReductionKernel.named(kernel), isExact, image.bands <= 4,
      canvas.width * canvas.height * image.bands * image.format.bytes <= Self.largestResult,
      Self.reduces(across) || Self.reduces(down), Self.canHave(across), Self.canHave(down)
    else { return nil }
    (self.kernel, self.gap, self.across, self.down, self.canvas) = (kernel, gap, across, down, canvas)
  }

  private static func reduces(_ axis: (factor: Double, origin: Double)) -> Bool { axis.factor < 1 - 1e-9 }

  /// A line may also stay as it is, whole pixels further.
  private static func canHave(_ axis: (factor: Double, origin: Double)) -> Bool {
    reduces(axis) || axis.factor <= 1 + 1e-9 && abs(axis.origin - axis.origin.rounded()) < 1e-6
  }

  func run(_ image: VipsImage) throws(VipsError) -> VipsImage {
    let columns = axis(across, side: image.width, length: canvas.width)
    let rows = axis(down, side: image.height, length: canvas.height)
    return try image.replacingPixels(width: canvas.width, height: canvas.height) { output throws(VipsError) in
      if image.format == .uchar, !image.hasAlpha {
        try narrow(columns, rows, bands: image.bands).run(image, output)
      } else {
        try wide(columns, rows, image).run(image, output)
      }
    }
  }

  /// 8 bits without alpha.
  private func narrow(
    _ columns: ReductionAxis, _ rows: ReductionAxis, bands: Int
  ) -> RowReduction<UInt8, Int16> {
    RowReduction(columns: columns, rows: rows, bands: bands) { row, kept in
      kept.update(from: row.assumingMemoryBound(to: UInt8.self), count: columns.side * bands)
    } addRows: {
      creduce_rows_8($0, $1, $2, $3, $4)
    } addPixels: {
      creduce_pixels_8($0, Int32(bands), $1, $2.assumingMemoryBound(to: UInt8.self))
    }
  }

  /// 16 bits without alpha, or 8 with it: colors times alpha, so that transparent pixels lend no color to their neighbors.
  private func wide(
    _ columns: ReductionAxis, _ rows: ReductionAxis, _ image: VipsImage
  ) -> RowReduction<UInt16, Int32> {
    let (bands, isPremultiplied) = (image.bands, image.hasAlpha)
    return RowReduction(columns: columns, rows: rows, bands: bands) { row, kept in
      if isPremultiplied {
        creduce_premultiply(row.assumingMemoryBound(to: UInt8.self), Int32(bands), columns.side, kept)
      } else {
        kept.update(from: row.assumingMemoryBound(to: UInt16.self), count: columns.side * bands)
      }
    } addRows: {
      creduce_rows_16($0, $1, $2, $3, $4)
    } addPixels: {
      if isPremultiplied {
        creduce_pixels_alpha($0, Int32(bands), $1, $2.assumingMemoryBound(to: UInt8.self))
      } else {
        creduce_pixels_16($0, Int32(bands), $1, $2.assumingMemoryBound(to: UInt16.self))
      }
    }
  }

  private func axis(_ axis: (factor: Double, origin: Double), side: Int, length: Int) -> ReductionAxis {
    ReductionAxis(
      kernel, side: side, factor: axis.factor, origin: axis.origin, length: length,
      block: max(1, Int(1 / axis.factor / gap)))
  }
}

/// The last rows of an image, as many as a new row reads.
struct RowWindow<Number: FixedWidthInteger>: ~Copyable {
  private let numbers: UnsafeMutablePointer<Number>
  private let capacity: Int
  private let width: Int

  /// Rows that are read from an image at once: what decoders make at once.
  static var step: Int { 16 }

  /// - Parameter width: In numbers.
  init(rows: Int, width: Int) {
    capacity = rows + Self.step
    self.width = width
    numbers = .allocate(capacity: capacity * width)
  }

  deinit { numbers.deallocate() }

  /// A row by its number in the image.
  func row(_ index: Int) -> UnsafeMutablePointer<Number> { numbers + index % capacity * width }
}

/// Reduces rows as they come. What differs by the type of numbers, C's functions, is given.
private struct RowReduction<Number: FixedWidthInteger, Sum: FixedWidthInteger> {
  typealias Rows = UnsafeMutablePointer<UnsafePointer<Number>?>

  let columns: ReductionAxis
  let rows: ReductionAxis
  let bands: Int
  /// Takes a row of the image in.
  let keep: (UnsafeMutableRawPointer, UnsafeMutablePointer<Number>) -> Void
  /// Adds up rows: their weights, their number, and the numbers in each.
  let addRows: (Rows, UnsafePointer<Int16>?, Int32, Int, UnsafeMutablePointer<Sum>) -> Void
  /// Adds up the pixels of a row of sums into a new row.
  let addPixels: (UnsafePointer<Sum>, creduce_line, UnsafeMutableRawPointer) -> Void

  func run(_ image: VipsImage, _ output: PixelRows) throws(VipsError) {
    let width = image.width * bands
    let window = RowWindow<Number>(rows: rows.taps, width: width)
    // A sum may read on behind its row's end, with weights of 0.
    let room = width + columns.taps * bands + Int(CREDUCE_PADDING)
    let sums = UnsafeMutablePointer<Sum>.allocate(capacity: room)
    sums.initialize(repeating: 0, count: room)
    defer { sums.deallocate() }
    let sources = Rows.allocate(capacity: max(1, rows.taps))
    defer { sources.deallocate() }
    var next = 0
    try image.forEachRows(RowWindow<Number>.step) { piece, top in
      for index in 0..<piece.height { keep(piece.row(index), window.row(top + index)) }
      let end = top + piece.height
      while next < rows.starts.count, Int(rows.starts[next]) + rows.counts[next] <= end {
        let count = rows.counts[next]
        for tap in 0..<count { sources[tap] = UnsafePointer(window.row(Int(rows.starts[next]) + tap)) }
        rows.weights.withUnsafeBufferPointer { weights in
          addRows(sources, weights.baseAddress.map { $0 + next * rows.taps }, Int32(count), width, sums)
        }
        columns.withLine { addPixels(sums, $0, output.row(next)) }
        next += 1
      }
      return next < rows.starts.count
    }
  }
}
