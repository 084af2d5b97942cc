import CReduce
import Vips

/// Downscales along both axes in one pass on the calling thread, as the image's rows arrive.
///
/// libvips' `resize` runs up to four operations, each with its own threads and buffers, and for images of web-page size
/// that overhead exceeds the time for the pixels. The weights are the same; sums are rounded once instead of after each
/// operation.
struct Reduction {
  let kernel: ReductionKernel
  let across: (factor: Double, origin: Double)
  let down: (factor: Double, origin: Double)
  let canvas: Size

  /// The smallest factor left to the kernel when blocks of pixels are averaged first (libvips' reducing gap).
  let gap: Double

  /// The largest result in bytes. libvips computes larger ones, piece by piece.
  static let largestResult = 64 << 20

  /// - Parameters:
  ///   - across: The factor of the width, at most 1, and the position of the left edge in pixels of the canvas.
  ///   - down: The factor of the height, at most 1, and the position of the top edge in pixels of the canvas.
  /// - Returns: nil if libvips must do it: the image doesn't get smaller, has 16 bits with alpha or another format, or
  ///   the result is too large.
  init?(
    _ image: VipsImage, kernel: String, gap: Double, across: (factor: Double, origin: Double),
    down: (factor: Double, origin: Double), canvas: Size
  ) {
    let isExact = image.format == .uchar || image.format == .ushort && !image.hasAlpha
    guard let kernel = ReductionKernel.named(kernel), isExact, image.bands <= 4,
      canvas.width * canvas.height * image.bands * image.format.bytes <= Self.largestResult,
      Self.reduces(across) || Self.reduces(down), Self.canHave(across), Self.canHave(down)
    else { return nil }
    (self.kernel, self.gap, self.across, self.down, self.canvas) = (kernel, gap, across, down, canvas)
  }

  private static func reduces(_ axis: (factor: Double, origin: Double)) -> Bool { axis.factor < 1 - 1e-9 }

  /// Whether the axis is reduced, or only shifted by whole pixels.
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

  /// Reduces 8 bits without alpha.
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

  /// Reduces 16 bits without alpha, or 8 bits with alpha. The latter are premultiplied, so that transparent pixels
  /// don't bleed into their neighbors.
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

/// A ring buffer of an image's last rows, as many as one output row reads.
struct RowWindow<Number: FixedWidthInteger>: ~Copyable {
  private let numbers: UnsafeMutablePointer<Number>
  private let capacity: Int
  private let width: Int

  /// The rows to read at once, as many as decoders produce at once.
  static var step: Int { 16 }

  /// - Parameters:
  ///   - rows: The rows that one output row reads.
  ///   - width: The samples in a row.
  init(rows: Int, width: Int) {
    capacity = rows + Self.step
    self.width = width
    numbers = .allocate(capacity: capacity * width)
  }

  deinit { numbers.deallocate() }

  /// The row with a given index in the image.
  func row(_ index: Int) -> UnsafeMutablePointer<Number> { numbers + index % capacity * width }
}

/// Reduces rows as they arrive. The closures wrap the C functions for the sample type.
private struct RowReduction<Number: FixedWidthInteger, Sum: FixedWidthInteger> {
  typealias Rows = UnsafeMutablePointer<UnsafePointer<Number>?>

  let columns: ReductionAxis
  let rows: ReductionAxis
  let bands: Int
  /// Copies a row of the image into the window.
  let keep: (UnsafeMutableRawPointer, UnsafeMutablePointer<Number>) -> Void
  /// Sums rows. Takes the rows, their weights, their count, the samples in each, and the sums.
  let addRows: (Rows, UnsafePointer<Int16>?, Int32, Int, UnsafeMutablePointer<Sum>) -> Void
  /// Sums the pixels of a row of sums into an output row.
  let addPixels: (UnsafePointer<Sum>, creduce_line, UnsafeMutableRawPointer) -> Void

  func run(_ image: VipsImage, _ output: PixelRows) throws(VipsError) {
    let width = image.width * bands
    let window = RowWindow<Number>(rows: rows.taps, width: width)
    // `addPixels` may read past the row's end, where the weights are 0.
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
