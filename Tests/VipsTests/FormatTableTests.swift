import Testing

@testable import Vips

@Suite("Band formats and interpretations", .timeLimit(.minutes(8)))
struct FormatTableTests {
  private static let all: [BandFormat] = [
    .uchar, .char, .ushort, .short, .uint, .int, .float, .complex, .double, .dpcomplex, .notset,
  ]

  @Test("each format has libvips' number, and comes back from it")
  func roundTrip() {
    for format in Self.all { #expect(BandFormat(format.native) == format) }
    #expect(Set(Self.all.map(\.native.rawValue)).count == Self.all.count)
  }

  @Test("each format is known to libvips by its raw value, and has the size that its type has")
  func sizes() throws {
    let sizes: [BandFormat: Int] = [
      .uchar: 1, .char: 1, .ushort: 2, .short: 2, .uint: 4, .int: 4, .float: 4, .complex: 8, .double: 8,
      .dpcomplex: 16,
    ]
    for (format, size) in sizes {
      #expect(format.bytes == size, "\(format)")
      let image = try VipsImage.plain([1], width: 3, height: 2).cast(to: format)
      #expect(image.format == format && image.pixelBytes == 6 * size)
      #expect(try image.pixels().count == 6 * size)
    }
  }

  @Test(
    "each interpretation that has a name here is libvips' own",
    arguments: [
      Interpretation.sRGB, .rgb16, .gray, .gray16, .linear, .cmyk, Interpretation(rawValue: "lab"),
      Interpretation(rawValue: "hsv"), Interpretation(rawValue: "multiband"),
    ])
  func interpretations(interpretation: Interpretation) throws {
    let image = try VipsImage.plain([1, 2, 3, 4], width: 2, height: 2, interpretation: interpretation)
    #expect(image.interpretation == interpretation)
  }

  @Test("an interpretation that libvips lacks is an error")
  func unknown() {
    #expect(throws: VipsError.self) {
      try VipsImage.plain([1], width: 2, height: 2, interpretation: Interpretation(rawValue: "sRGB2"))
    }
  }

  @Test("a cast clips to the range of the new format and cuts fractions off")
  func casts() throws {
    let numbers: [Double] = [-70_000.9, -300, -129, -1.9, -0.4, 0, 0.9, 1.5, 127.99, 255.9, 300, 70_000]
    let image = try VipsImage(
      pixels: Sample.bytes(numbers, as: .double), width: numbers.count, height: 1, bands: 1, format: .double)
    let ranges: [(BandFormat, ClosedRange<Double>)] = [
      (.uchar, 0...255), (.char, -128...127), (.ushort, 0...65_535), (.short, -32_768...32_767),
      (.int, -2_147_483_648...2_147_483_647), (.uint, 0...4_294_967_295),
    ]
    for (format, range) in ranges {
      let expected = numbers.map { number in
        let whole = number.rounded(.towardZero)
        let clipped = min(range.upperBound, max(range.lowerBound, whole))
        return clipped == 0 ? 0 : clipped
      }
      #expect(try Sample.numbers(of: image.cast(to: format)) == expected, "\(format)")
    }
    #expect(try image.cast(to: .double) === image, "nothing is done for the format that it has")
  }
}
