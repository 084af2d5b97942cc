import Testing

@testable import Vips

/// The image operations against loops over the same numbers.
@Suite("Image operations", .timeLimit(.minutes(8)))
struct ImageOperationTests {
  private let width = 9
  private let height = 7
  private let bands = 3
  private var numbers: [Double] { Sample.numbers(width, height, bands) }

  private func number(_ x: Int, _ y: Int, _ band: Int) -> Double { numbers[(y * width + x) * bands + band] }

  @Test("a crop is the pixels inside")
  func cropped() throws {
    let image = try Sample.image(width, height)
    for x in 0..<width {
      for y in 0..<height {
        for (wide, tall) in [(1, 1), (width - x, height - y)] {
          let part = try image.cropped(x: x, y: y, width: wide, height: tall)
          var expected: [Double] = []
          for row in y..<y + tall {
            for column in x..<x + wide { expected += (0..<3).map { number(column, row, $0) } }
          }
          #expect(try Sample.numbers(of: part) == expected, "\(x) \(y) \(wide)x\(tall)")
        }
      }
    }
    #expect(try image.cropped(x: 0, y: 0, width: width, height: height) === image)
  }

  @Test(
    "a crop that leaves the image is an error",
    arguments: [
      (-1, 0, 2, 2), (0, -1, 2, 2), (8, 0, 2, 2), (0, 6, 2, 2), (0, 0, 10, 7), (0, 0, 0, 1), (9, 7, 1, 1),
    ])
  func outside(x: Int, y: Int, wide: Int, tall: Int) throws {
    let image = try Sample.image(width, height)
    #expect(throws: VipsError.self) { try image.cropped(x: x, y: y, width: wide, height: tall) }
  }

  @Test(
    "a canvas goes on as it is told", arguments: ["black", "copy", "mirror", "background", "repeat", "white"])
  func embedded(extend: String) throws {
    let image = try Sample.image(width, height)
    let background = [10.0, 20, 30]
    for (left, top, right, bottom) in [(3, 2, 4, 5), (0, 0, 1, 0), (0, 3, 0, 0), (7, 6, 8, 6)] {
      let (wide, tall) = (width + left + right, height + top + bottom)
      let result = try Sample.numbers(
        of: image.embedded(
          x: left, y: top, width: wide, height: tall, extend: extend,
          background: extend == "background" ? background : nil))
      for y in 0..<tall {
        for x in 0..<wide {
          for band in 0..<3 {
            let (column, row) = (x - left, y - top)
            let isInside = (0..<width).contains(column) && (0..<height).contains(row)
            let expected: Double
            switch extend {
            case _ where isInside: expected = number(column, row, band)
            case "black": expected = 0
            case "white": expected = 255
            case "background": expected = background[band]
            case "copy": expected = number(min(width - 1, max(0, column)), min(height - 1, max(0, row)), band)
            case "repeat":
              expected = number((column + 9 * width) % width, (row + 9 * height) % height, band)
            default: expected = number(mirrored(column, width), mirrored(row, height), band)
            }
            #expect(result[(y * wide + x) * 3 + band] == expected, "\(x) \(y)")
          }
        }
      }
    }
  }

  private func mirrored(_ place: Int, _ count: Int) -> Int {
    let turn = (place % (2 * count) + 2 * count) % (2 * count)
    return turn < count ? turn : 2 * count - 1 - turn
  }

  @Test("bands are taken out and joined in their order")
  func bandsInAndOut() throws {
    let image = try Sample.image(width, height, bands: 4)
    let all = Sample.numbers(width, height, 4)
    for first in 0..<4 {
      for count in 1...4 - first {
        let part = try image.extractingBands(from: first, count: count)
        #expect(part.bands == count)
        let expected = stride(from: 0, to: all.count, by: 4).flatMap { all[$0 + first..<$0 + first + count] }
        #expect(try Sample.numbers(of: part) == expected)
      }
    }
    #expect(try image.extractingBands(from: 0, count: 4) === image)
    for (first, count) in [(4, 1), (-1, 1), (3, 2), (0, 5)] {
      #expect(throws: VipsError.self) { try image.extractingBands(from: first, count: count) }
    }
    let parts = try (0..<4).map { try image.extractingBands(from: $0, count: 1) }
    #expect(try parts[0].joiningBands(Array(parts.dropFirst())).pixels() == image.pixels())
    let five = try image.joiningConstantBand(77)
    let constants = try Sample.numbers(of: five.extractingBands(from: 4, count: 1))
    #expect(Set(constants) == [77])
    #expect(try five.extractingBands(from: 0, count: 4).pixels() == image.pixels())
  }

  @Test("numbers are multiplied and added to, a factor for each band or one for all")
  func linear() throws {
    let image = try Sample.image(width, height)
    for (factors, offsets) in [([2.0], [1.0]), ([1.0, -2, 0.5], [0.25, 3, -7]), ([0.5], [1.0, 2, 3])] {
      let result = try image.linear(factors, offsets)
      #expect(result.format == .float)
      let expected = numbers.enumerated().map { index, value in
        value * factors[index % 3 % factors.count] + offsets[index % 3 % offsets.count]
      }
      #expect(try Sample.numbers(of: result) == expected)
    }
    #expect(throws: VipsError.self) { try image.linear([1, 2], [0, 0]) }
  }

  @Test("two images are combined pixel by pixel", arguments: ["add", "subtract", "multiply", "divide"])
  func combined(name: String) throws {
    let left = try Sample.image(width, height)
    let right = try left.applying("flip", ["direction": "horizontal"])
    let other = try Sample.numbers(of: right)
    let result = try Sample.numbers(of: left.combined(name, with: right))
    for (index, value) in numbers.enumerated() {
      let expected: Double =
        switch name {
        case "add": value + other[index]
        case "subtract": value - other[index]
        case "multiply": value * other[index]
        // libvips divides by 0 as 0.
        default: other[index] == 0 ? 0 : value / other[index]
        }
      #expect(abs(result[index] - expected) <= abs(expected) * 1e-6)
    }
  }

  @Test("pages are put under one another, and one page is itself")
  func stacked() throws {
    let pages = try (0..<3).map { index in
      try VipsImage.plain([Double(index * 10), 1, 2], width: 4, height: 5)
    }
    let tall = try VipsImage.stacked(pages)
    #expect(tall.width == 4 && tall.height == 15)
    #expect(try tall.pixels() == pages.flatMap { try $0.pixels() })
    #expect(try VipsImage.stacked([pages[0]]) === pages[0])
  }

  @Test("an image of one color is that everywhere", arguments: Sample.formats)
  func plain(format: BandFormat) throws {
    for values in [[7.0], [1, 2], [9, 8, 7], [100, 50, 25, 12]] {
      let image = try VipsImage.plain(values, width: 5, height: 3, format: format, interpretation: .sRGB)
      #expect(image.format == format && image.bands == values.count && image.width == 5)
      #expect(try Sample.numbers(of: image) == (0..<15).flatMap { _ in values })
      let filled = try image.filled(with: values.reversed())
      #expect(filled.format == format && filled.interpretation == image.interpretation)
      #expect(try Sample.numbers(of: filled) == (0..<15).flatMap { _ in values.reversed() })
    }
  }

  @Test("gray, light and back are the numbers that sRGB's definition gives")
  func colorSpaces() throws {
    for value in stride(from: 0.0, through: 255, by: 15) {
      let image = try VipsImage.plain([value, value, value], width: 1, height: 1)
      let encoded = value / 255
      let light = encoded <= 0.040_45 ? encoded / 12.92 : gammaExpanded(encoded)
      let measured = try Sample.numbers(of: image.converted(to: .linear))
      #expect(measured.allSatisfy { abs($0 - light) < 0.002 }, "\(value): \(measured) \(light)")
      #expect(
        try Sample.numbers(of: image.converted(to: .linear).converted(to: .sRGB)).allSatisfy {
          abs($0 - value) <= 1
        })
      let deep = try Sample.numbers(of: image.converted(to: .rgb16))
      #expect(deep.allSatisfy { abs($0 - value * 256) <= 256 }, "\(value): \(deep)")
    }
    let image = try Sample.image(3, 3, interpretation: .sRGB)
    #expect(try image.converted(to: .sRGB) === image)
  }

  /// ((c + 0.055) / 1.055) to the power of 2.4, by square roots: 2.4 is 2 and 2/5.
  private func gammaExpanded(_ encoded: Double) -> Double {
    let base = (encoded + 0.055) / 1.055
    // Newton's method for the fifth root of base².
    let square = base * base
    var root = base
    for _ in 0..<60 { root -= (root * root * root * root * root - square) / (5 * root * root * root * root) }
    return square * root
  }
}
