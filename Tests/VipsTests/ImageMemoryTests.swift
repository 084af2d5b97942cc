import Glibc
import Testing

@testable import Vips

@Suite("Pixels in memory", .timeLimit(.minutes(8)))
struct ImageMemoryTests {
  @Test("come back as they were put in, whatever their type", arguments: Sample.formats)
  func roundTrip(format: BandFormat) throws {
    for bands in 1...5 {
      for (width, height) in [(1, 1), (7, 1), (1, 6), (5, 4)] {
        let numbers = Sample.numbers(width, height, bands)
        let bytes = Sample.bytes(numbers, as: format)
        let image = try VipsImage(
          pixels: bytes, width: width, height: height, bands: bands, format: format)
        #expect(image.width == width && image.height == height && image.bands == bands)
        #expect(image.format == format && image.pixelBytes == bytes.count)
        #expect(try image.pixels() == bytes, "\(bands) bands of \(width)x\(height)")
        #expect(try Sample.numbers(of: image) == numbers)
      }
    }
  }

  @Test("of negative numbers and fractions keep their signs and fractions")
  func signs() throws {
    for (format, numbers) in [
      (BandFormat.char, [-128, -1, 0, 127]), (.short, [-32_768, -1, 0, 32_767]),
      (.int, [-2_147_483_648, -1, 0, 2_147_483_647]), (.float, [-0.5, 1.25, 0, 1_152_921_504_606_846_976]),
      (.double, [-0.1, 1e-300, 0, 1e300]),
    ] as [(BandFormat, [Double])] {
      let image = try VipsImage(
        pixels: Sample.bytes(numbers, as: format), width: 2, height: 2, bands: 1, format: format)
      #expect(try Sample.numbers(of: image) == numbers, "\(format)")
    }
  }

  @Test(
    "of a size that their bytes don't have are refused",
    arguments: [
      (0, 4, 3), (4, 0, 3), (4, 4, 0), (-4, 4, 3), (4, -4, 3), (-4, -4, 3), (4, 4, 4), (5, 4, 3), (4, 5, 3),
      (.max, 1, 3), (1, .max, 3), (.max, .max, 1), (1 << 32, 1 << 32, 3),
    ])
  func sizes(width: Int, height: Int, bands: Int) {
    let bytes = [UInt8](repeating: 7, count: 48)
    let error = #expect(throws: VipsError.self) {
      try VipsImage(pixels: bytes, width: width, height: height, bands: bands)
    }
    #expect(error?.text.contains("\(bytes.count)") == true)
  }

  @Test("of no bytes are no image, whatever the size")
  func empty() {
    for (width, height) in [(0, 0), (1, 1), (0, 1)] {
      #expect(throws: VipsError.self) { try VipsImage(pixels: [], width: width, height: height, bands: 1) }
    }
  }

  @Test(
    "mean what is said of them",
    arguments: [
      (Interpretation.sRGB, 3, false), (.sRGB, 4, true), (.gray, 1, false), (.gray, 2, true),
      (.cmyk, 4, false), (.cmyk, 5, true),
    ])
  func interpretations(interpretation: Interpretation, bands: Int, hasAlpha: Bool) throws {
    let image = try Sample.image(3, 2, bands: bands, interpretation: interpretation)
    #expect(image.interpretation == interpretation)
    #expect(image.hasAlpha == hasAlpha)
    #expect(image.pageHeight == 2 && image.pageCount == 1)
  }

  @Test("are the image's own: the array that they came from can change")
  func copies() throws {
    var bytes = Sample.bytes(Sample.numbers(16, 16, 3), as: .uchar)
    let original = bytes
    let image = try VipsImage(pixels: bytes, width: 16, height: 16, bands: 3)
    let lazy = try image.applying("invert")
    for index in bytes.indices { bytes[index] = 0 }
    #expect(try image.pixels() == original)
    #expect(try lazy.pixels() == original.map { 255 - $0 })
  }

  @Test("stay as long as an image made of them needs them")
  func lifetimes() throws {
    func chain() throws -> VipsImage {
      let image = try Sample.image(40, 30)
      return try image.cropped(x: 3, y: 4, width: 20, height: 10).applying("rot", ["angle": "d90"])
    }
    let late = try chain()
    // Other images take the place of whatever was freed too soon.
    for index in 0..<20 { _ = try VipsImage.plain([Double(index), 9, 9], width: 40, height: 30).pixels() }
    let whole = Sample.numbers(40, 30, 3)
    let pixels = try Sample.numbers(of: late)
    #expect(late.width == 10 && late.height == 20)
    for y in 0..<20 {
      for x in 0..<10 {
        // A quarter turn to the right: the left column becomes the top row, from its end.
        let (column, row) = (3 + y, 4 + 9 - x)
        for band in 0..<3 {
          #expect(pixels[(y * 10 + x) * 3 + band] == whole[(row * 40 + column) * 3 + band])
        }
      }
    }
  }

  @Test("are at hand once they are materialized, and not while they are still to be computed")
  func materialized() throws {
    let image = try Sample.image(20, 10)
    #expect(image.isAtHand)
    let lazy = try image.applying("invert")
    #expect(!lazy.isAtHand)
    let ready = try lazy.materialized()
    #expect(ready.isAtHand && ready.pixelBytes == 600)
    #expect(try ready.pixels() == lazy.pixels())
    #expect(ready.interpretation == lazy.interpretation && ready.bands == 3)
  }

  @Test("kept in a file are the same, and leave no name behind", arguments: Sample.formats)
  func stored(format: BandFormat) throws {
    let directory = try temporaryDirectory()
    defer { rmdir(directory) }
    let image = try Sample.image(33, 21, bands: 2, format: format).applying(
      "flip", ["direction": "horizontal"])
    let kept = try image.stored(inDirectory: directory)
    #expect(kept.isAtHand && kept.format == format && kept.bands == 2)
    #expect(try kept.pixels() == image.pixels())
    // No file is left, or the directory couldn't be removed.
    #expect(rmdir(directory) == 0)
    #expect(try kept.pixels() == image.pixels(), "the file is there as long as the image")
  }

  @Test("kept in files can be put under one another, again and again")
  func storedPages() throws {
    let directory = try temporaryDirectory()
    defer { rmdir(directory) }
    let pages = try (0..<3).map { try Sample.image(150, 110).cropped(x: 0, y: $0, width: 150, height: 107) }
    let kept = try pages.map { try $0.stored(inDirectory: directory) }
    let lazy = try pages[1].applying("invert")
    let expected =
      try pages[0].pixels() + Array(repeating: lazy.pixels(), count: 6).joined() + pages[2].pixels()
    for _ in 0..<20 {
      let tall = try VipsImage.stacked([kept[0]] + Array(repeating: lazy, count: 6) + [kept[2]])
      #expect(try tall.pixels() == expected)
    }
  }

  @Test("can't be kept in a directory that isn't there")
  func noDirectory() throws {
    let image = try Sample.image(3, 3)
    #expect(throws: VipsError.self) { try image.stored(inDirectory: "/nonexistent/directory") }
  }

  @Test("stay the same under another header")
  func copied() throws {
    let image = try Sample.image(6, 5, bands: 3, interpretation: .sRGB)
    let other = try image.copied(["interpretation": "lab", "xres": 4.0])
    #expect(other.interpretation == Interpretation(rawValue: "lab"))
    #expect(image.interpretation == .sRGB)
    #expect(try other.pixels() == image.pixels())
    #expect(try image.copied().pixels() == image.pixels())
  }

  private func temporaryDirectory() throws -> String {
    var template = Array("/tmp/imagemill-vips-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
