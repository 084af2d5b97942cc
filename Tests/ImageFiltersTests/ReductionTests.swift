import Glibc
import TestSupport
import Testing
import Vips

@testable import ImageFilters

/// The resampler's own loops against weighted sums in floating point, written the long way.
@Suite("Making images smaller", .timeLimit(.minutes(8)))
struct ReductionTests {
  private static let kernels = ["lanczos3", "lanczos2", "mitchell", "cubic", "linear"]

  /// A line of `side` numbers for each new one: what its weight is.
  private static func weights(
    _ kernel: String, side: Int, factor: Double, origin: Double, length: Int, gap: Double
  ) -> [[Double]] {
    func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }
    func spline(_ x: Double, _ b: Double, _ c: Double) -> Double {
      if x < 1 { return ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + 6 - 2 * b) / 6 }
      if x >= 2 { return 0 }
      return ((-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x + 8 * b + 24 * c)
        / 6
    }
    func value(_ distance: Double) -> Double {
      let x = abs(distance)
      return switch kernel {
      case "lanczos3": x < 3 ? sinc(x) * sinc(x / 3) : 0
      case "lanczos2": x < 2 ? sinc(x) * sinc(x / 2) : 0
      case "mitchell": spline(x, 1.0 / 3, 1.0 / 3)
      case "cubic": spline(x, 0, 0.5)
      default: max(0, 1 - x)
      }
    }
    if factor == 1 {
      return (0..<length).map { index in
        var line = [Double](repeating: 0, count: side)
        line[min(max(index - Int(origin), 0), side - 1)] = 1
        return line
      }
    }
    let block = max(1, Int(1 / factor / gap))
    return (0..<length).map { index in
      var line = [Double](repeating: 0, count: side)
      let middle = (Double(index) + 0.5 - origin) / factor
      let blocks = Int(middle) / block
      let reach = Int(4 / factor / Double(block)) + 2
      for number in blocks - reach...blocks + reach {
        let weight = value(((Double(number) + 0.5) * Double(block) - middle) * factor)
        for pixel in number * block..<(number + 1) * block { line[min(max(pixel, 0), side - 1)] += weight }
      }
      let sum = line.reduce(0, +)
      return line.map { $0 / sum }
    }
  }

  private struct Case: CustomStringConvertible {
    var width: Int
    var height: Int
    var bands: Int
    var isWide: Bool
    var hasAlpha: Bool
    var kernel: String
    var gap: Double
    var across: (factor: Double, origin: Double)
    var down: (factor: Double, origin: Double)
    var canvas: Size

    init(_ random: inout SeededRandom) {
      func axis(_ side: Int) -> ((factor: Double, origin: Double), Int) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          return (
            (1, Double(Int.random(in: -3...3, using: &random))), Int.random(in: 1...side + 3, using: &random)
          )
        case 1:
          let length = Int.random(in: 1...side, using: &random)
          return ((Double(length) / Double(side), 0), length)
        default:
          let factor = Double.random(in: 0.02...0.98, using: &random)
          return ((factor, Double.random(in: -3...3, using: &random)), Int.random(in: 1...24, using: &random))
        }
      }
      width = Int.random(in: 1...90, using: &random)
      height = Int.random(in: 1...90, using: &random)
      isWide = Int.random(in: 0..<4, using: &random) == 0
      hasAlpha = !isWide && Bool.random(using: &random)
      bands =
        hasAlpha ? [2, 4].randomElement(using: &random) ?? 4 : [1, 3].randomElement(using: &random) ?? 3
      kernel = kernels.randomElement(using: &random) ?? "linear"
      gap = [1.5, 2, 1000].randomElement(using: &random) ?? 2
      let (across, columns) = axis(width)
      var (down, rows) = axis(height)
      if across.factor == 1, down.factor == 1 { (down, rows) = ((0.5, 0), max(1, height / 2)) }
      (self.across, self.down, canvas) = (across, down, Size(width: columns, height: rows))
    }

    var description: String {
      "\(width)x\(height), \(bands) bands, wide \(isWide), \(kernel), gap \(gap), \(across), \(down) to \(canvas)"
    }
  }

  @Test("every kernel, size, place and number of bands gives the weighted sums, within one step")
  func sums() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for number in 0..<150 {
      let one = Case(&random)
      let most = one.isWide ? 65_535.0 : 255
      // Edges as hard as they can be, in half of the images.
      let isHard = Bool.random(using: &random)
      let numbers: [Double] = (0..<one.width * one.height * one.bands).map { _ in
        isHard
          ? Bool.random(using: &random) ? most : 0 : Double(Int.random(in: 0...Int(most), using: &random))
      }
      let bytes =
        one.isWide
        ? numbers.flatMap { [UInt8(truncatingIfNeeded: Int($0)), UInt8(Int($0) >> 8)] }
        : numbers.map { UInt8($0) }
      let names = one.isWide ? [1: "grey16", 3: "rgb16"] : [1: "b-w", 2: "b-w", 3: "srgb", 4: "srgb"]
      let image = try VipsImage(
        pixels: bytes, width: one.width, height: one.height, bands: one.bands,
        format: one.isWide ? .ushort : .uchar,
        interpretation: names[one.bands].map(Interpretation.init(rawValue:)))
      let reduction = try #require(
        Reduction(
          image, kernel: one.kernel, gap: one.gap, across: one.across, down: one.down, canvas: one.canvas))
      let made = try reduction.run(image).pixels()
      let result: [Double] =
        one.isWide
        ? stride(from: 0, to: made.count, by: 2).map { Double(Int(made[$0]) | Int(made[$0 + 1]) << 8) }
        : made.map(Double.init)

      let columns = Self.weights(
        one.kernel, side: one.width, factor: one.across.factor, origin: one.across.origin,
        length: one.canvas.width,
        gap: one.gap)
      let rows = Self.weights(
        one.kernel, side: one.height, factor: one.down.factor, origin: one.down.origin,
        length: one.canvas.height,
        gap: one.gap)
      func sum(_ x: Int, _ y: Int, _ value: (Int) -> Double) -> Double {
        var sum = 0.0
        for (row, down) in rows[y].enumerated() where down != 0 {
          for (column, across) in columns[x].enumerated() where across != 0 {
            sum += down * across * value((row * one.width + column) * one.bands)
          }
        }
        return sum
      }
      var worst = 0.0
      for y in 0..<one.canvas.height {
        for x in 0..<one.canvas.width {
          let alpha = one.hasAlpha ? sum(x, y) { numbers[$0 + one.bands - 1] } : 255
          for band in 0..<one.bands {
            let found = result[(y * one.canvas.width + x) * one.bands + band]
            if one.hasAlpha, band < one.bands - 1 {
              // The color of what is hardly there has few digits.
              guard alpha > 32 else { continue }
              let products = sum(x, y) { numbers[$0 + band] * numbers[$0 + one.bands - 1] }
              worst = max(worst, abs(min(max(products / alpha, 0), most) - found))
            } else {
              worst = max(worst, abs(min(max(sum(x, y) { numbers[$0 + band] }, 0), most) - found))
            }
          }
        }
      }
      // Weights have 14 bits: each is off by up to a half of 65,536 / 16,384 steps, at random, and so is the correction that
      // makes their sum 1. The errors of n weights add up to some multiple of the root of n steps.
      let taps = { (weights: [[Double]]) in weights.map { $0.count { $0 != 0 } }.max() ?? 0 }
      let tolerance = one.isWide ? max(40, 8 * Double(taps(columns) + taps(rows)).squareRoot()) : 1.2
      #expect(worst <= tolerance, "case \(number) of seed \(seed): \(one) is \(worst) off")
    }
  }

  @Test("a plain area stays exactly as it is, whatever the kernel and the factor")
  func flat() throws {
    for kernel in Self.kernels {
      for (side, length) in [(640, 256), (255, 254), (97, 3), (31, 1), (1000, 333)] {
        for value in [UInt8(0), 1, 127, 254, 255] {
          let image = try VipsImage(
            pixels: .init(repeating: value, count: side * 20 * 3), width: side, height: 20, bands: 3,
            interpretation: .sRGB)
          let made = try #require(
            Reduction(
              image, kernel: kernel, gap: 2, across: (Double(length) / Double(side), 0), down: (0.45, 0),
              canvas: Size(width: length, height: 9))
          ).run(image).pixels()
          #expect(made.allSatisfy { $0 == value }, "\(kernel), \(side) to \(length), \(value)")
        }
      }
    }
  }

  @Test("transparent pixels lend no color to their neighbors")
  func transparency() throws {
    // Opaque red beside green that can't be seen.
    let row: [UInt8] = (0..<64).flatMap { $0 < 32 ? [255, 0, 0, 255] : [0, 255, 0, 0] }
    let image = try VipsImage(
      pixels: Array(repeating: row, count: 64).flatMap { $0 }, width: 64, height: 64, bands: 4,
      interpretation: .sRGB)
    let made = try Resampler().resized(image, to: Size(width: 20, height: 20)).pixels()
    for pixel in stride(from: 0, to: made.count, by: 4) where made[pixel + 3] > 0 {
      #expect(made[pixel + 1] == 0)
    }
  }

  @Test("the result keeps the image's fields, and is in memory")
  func fields() throws {
    let image = try VipsImage(
      pixels: .init(repeating: 9, count: 300), width: 10, height: 10, bands: 3, interpretation: .sRGB
    ).editingMetadata { $0.set("orientation", 3) }
    let made = try Resampler().resized(image, to: Size(width: 5, height: 4))
    #expect(made.orientation == 3 && made.isAtHand && made.interpretation == .sRGB)
    #expect((made.width, made.height) == (5, 4))
  }

  @Test("what isn't made smaller, or is large, or isn't of 8 or 16 bits, is left to libvips")
  func others() throws {
    let image = try VipsImage(
      pixels: .init(repeating: 9, count: 300), width: 10, height: 10, bands: 3, interpretation: .sRGB)
    func isDone(_ image: VipsImage, _ across: Double, _ down: Double, _ canvas: Size) -> Bool {
      Reduction(image, kernel: "lanczos3", gap: 2, across: (across, 0), down: (down, 0), canvas: canvas)
        != nil
    }
    #expect(isDone(image, 0.5, 0.5, Size(width: 5, height: 5)))
    #expect(isDone(image, 0.5, 1, Size(width: 5, height: 10)))
    #expect(!isDone(image, 1, 1, Size(width: 10, height: 10)))
    #expect(!isDone(image, 0.5, 1.5, Size(width: 5, height: 15)))
    #expect(!isDone(image, 0.5, 0.5, Size(width: 6000, height: 6000)))
    #expect(!isDone(try image.cast(to: .float), 0.5, 0.5, Size(width: 5, height: 5)))
    #expect(
      Reduction(
        image, kernel: "nearest", gap: 2, across: (0.5, 0), down: (0.5, 0),
        canvas: Size(width: 5, height: 5)) == nil)
  }
}
