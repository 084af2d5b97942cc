import Testing
import Vips

@testable import ImageFilters

/// What filters get, whatever a decoder gives.
@Suite("Color spaces", .timeLimit(.minutes(8)))
struct ColorSpaceTests {
  private func image(
    _ values: [Double], _ interpretation: String, format: BandFormat = .uchar
  ) throws -> VipsImage {
    try VipsImage.plain(
      values, width: 9, height: 7, format: format, interpretation: Interpretation(rawValue: interpretation))
  }

  @Test(
    "of every kind become sRGB of 8 or 16 bits, with one alpha at most",
    arguments: [
      ([90.0], "b-w", BandFormat.uchar, [90.0, 90, 90]), ([90, 128], "b-w", .uchar, [90, 90, 90, 128]),
      ([1, 2, 3], "srgb", .uchar, [1, 2, 3]), ([1, 2, 3, 4], "srgb", .uchar, [1, 2, 3, 4]),
      ([1, 2, 3, 4, 5], "srgb", .uchar, [1, 2, 3, 4]), ([1, 2, 3, 4, 5, 6], "srgb", .uchar, [1, 2, 3, 4]),
      ([25_700], "grey16", .ushort, [25_700, 25_700, 25_700]),
      ([257, 514, 771], "rgb16", .ushort, [257, 514, 771]),
      ([257, 514, 771, 65_535], "rgb16", .ushort, [257, 514, 771, 65_535]),
      ([100, 0, 0], "lab", .float, [255, 255, 255]), ([0, 0, 0], "lab", .float, [0, 0, 0]),
      ([1, 1, 1], "scrgb", .float, [255, 255, 255]), ([0, 0, 0], "scrgb", .float, [0, 0, 0]),
    ])
  func kinds(values: [Double], interpretation: String, format: BandFormat, expected: [Double]) throws {
    let prepared = try image(values, interpretation, format: format).preparedForFilters()
    let isDeep = format == .ushort
    #expect(
      prepared.interpretation == (isDeep ? .rgb16 : .sRGB) && prepared.format == (isDeep ? .ushort : .uchar))
    #expect(prepared.bands == expected.count && prepared.hasAlpha == (expected.count == 4))
    #expect(prepared.isPlainColor)
    let numbers = try prepared.cast(to: .double).pixels().withUnsafeBytes {
      Array($0.bindMemory(to: Double.self))
    }
    for (index, number) in numbers.enumerated() {
      // Gray of 16 bits goes through a curve.
      #expect(abs(number - expected[index % expected.count]) <= (isDeep ? 260 : 1), "\(numbers.prefix(4))")
    }
  }

  @Test("nothing is done to what is sRGB already")
  func identity() throws {
    for bands in [3, 4] {
      let image = try Raster.noise(5, 4, bands: bands, clear: true, seed: 101).image()
      #expect(try image.preparedForFilters().pixels() == image.pixels())
      #expect(try FilterChain().apply(to: image).pixels() == image.pixels())
    }
  }

  @Test("inks are turned into light: none is white, all of them are dark")
  func inks() throws {
    for (ink, range) in [
      ([0.0, 0, 0, 0], 245...255), ([255, 255, 255, 255], 0...60), ([0, 0, 0, 255], 0...80),
    ] as [([Double], ClosedRange<Int>)] {
      let prepared = try image(ink, "cmyk").preparedForFilters()
      #expect(prepared.bands == 3 && prepared.interpretation == .sRGB)
      let numbers = try prepared.pixels()
      #expect(numbers.allSatisfy { range.contains(Int($0)) }, "\(ink): \(numbers.prefix(3))")
    }
    // Cyan takes red away.
    let cyan = try TestImage.pixel(image([255, 0, 0, 0], "cmyk").preparedForFilters(), 0, 0)
    #expect(cyan[0] < 80 && cyan[2] > 150)
  }

  /// Images of all kinds, each with what it is as filters take it: inks take a while to be turned into light.
  private static let kinds = Result {
    try
      ([
        ([90], "b-w", .uchar), ([90, 128], "b-w", .uchar), ([10, 20, 30, 40], "cmyk", .uchar),
        ([50, 10, 10], "lab", .float), ([9000], "grey16", .ushort), ([9000, 30_000], "grey16", .ushort),
        ([1, 2, 3, 4, 5], "srgb", .uchar),
      ] as [([Double], String, BandFormat)]).map { values, interpretation, format in
        let image = try VipsImage.plain(
          values, width: 9, height: 7, format: format,
          interpretation: Interpretation(rawValue: interpretation))
        return (image: image, prepared: try image.preparedForFilters().materialized())
      }
  }

  @Test(
    "every filter takes every kind, and makes of it what it makes of its sRGB",
    arguments: FilterPropertyTests.names)
  func filters(name: String) throws {
    let definition = try #require(FilterTable.definition(named: name))
    let text = ["crop": "crop:3x3", "scale": "scale:7x9", "fill": "fill:7x9"][name] ?? definition.example
    let chain = try FilterChain(parsing: text)
    for (image, prepared) in try Self.kinds.get() {
      let first = try chain.apply(to: image, context: FilterPropertyTests.context)
      #expect(first.format == (image.format == .ushort ? .ushort : .uchar))
      #expect(first.bands == (first.hasAlpha ? 4 : 3))
      let second = try chain.apply(to: prepared, context: FilterPropertyTests.context)
      #expect(try first.pixels() == second.pixels(), "\(image.interpretation)")
    }
  }

  @Test("a chain that only moves pixels keeps gray, and one that adds colors doesn't")
  func gray() throws {
    for (text, keepsSpace, keepsGray) in [
      ("", true, true), ("flip,scale:9x9,rotate:90", true, true), ("pad:9x9:white", true, true),
      ("pad:9x9:red", true, false),
      ("grayscale", false, true), ("sepia", false, false), ("tint:red", false, false),
      ("tint:gray", false, true),
      ("overlay:x", false, false), ("opacity:0.5,circle", true, true), ("flatten:#808080", true, true),
      ("flatten:blue", true, false), ("ci:CIColorMatrix", false, false),
      ("extend:3:background=navy", true, false),
    ] {
      let chain = try FilterChain(parsing: text)
      #expect(chain.keepsColorSpace == keepsSpace, "\(text)")
      #expect(chain.keepsGray == keepsGray, "\(text)")
    }
  }

  @Test("the filters that don't depend on colors are those that imagemill-manifest(5) names under 'profile'")
  func filtersWithoutColors() {
    let sections: [FilterDefinition.Category] = [.resizing, .shape, .orientation]
    for filter in FilterTable.all {
      guard case .frame(let traits, _) = filter.behavior else { continue }
      let isNamed = ["mask", "opacity", "flatten"].contains(filter.name)
      let isInSection = sections.contains(filter.category) && filter.name != "trim"
      #expect(traits.keepsColorSpace == (isNamed || isInSection), "\(filter.name)")
    }
  }

  @Test("a profile that doesn't fit the image, or is none, is passed over")
  func badProfiles() throws {
    let raster = Raster.noise(6, 5, seed: 102)
    for profile in [
      [], [1, 2, 3], [UInt8](repeating: 0, count: 500), Self.profile(space: "CMYK", name: "x"),
      Self.profile(space: "GRAY", name: "x"),
    ] {
      let image = try raster.image().editingMetadata { editor in
        if !profile.isEmpty { editor.set("icc-profile-data", profile) }
      }
      let prepared = try image.preparedForFilters()
      #expect(try Raster(prepared).values == raster.values)
      #expect(!prepared.hasField("icc-profile-data"))
    }
  }

  /// The header and the description of a profile, and nothing else of it.
  static func profile(space: String, name: String, type: String = "desc") -> [UInt8] {
    func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    var profile = [UInt8](repeating: 0, count: 128)
    profile.replaceSubrange(16..<20, with: Array(space.utf8))
    let text: [UInt8]
    if type == "desc" {
      text = Array("desc".utf8) + number(0) + number(name.utf8.count + 1) + Array(name.utf8) + [0]
    } else {
      let units = name.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
      text =
        Array("mluc".utf8) + number(0) + number(1) + number(12) + Array("enUS".utf8) + number(units.count)
        + number(28) + units
    }
    return profile + number(1) + Array("desc".utf8) + number(144) + number(text.count) + text
  }

  @Test("a profile's name is read in both of its forms, and cut short at any byte without harm")
  func descriptions() {
    for type in ["desc", "mluc"] {
      for name in ["sRGB", "Display P3", "Ünï"] where type == "mluc" || name != "Ünï" {
        let profile = Self.profile(space: "RGB ", name: name, type: type)
        #expect(ProfileDescription.text(of: profile) == name, "\(type)")
        // The description itself is the end: without all of it there is none in the older form.
        for count in 0..<profile.count {
          let text = ProfileDescription.text(of: Array(profile.prefix(count)))
          if type == "desc" { #expect(text == nil, "\(count) bytes") }
        }
        for index in stride(from: 128, to: profile.count, by: 1) {
          var bent = profile
          bent[index] = 0xff
          _ = ProfileDescription.text(of: bent)
        }
      }
    }
    #expect(ProfileDescription.isStandardRGB(Self.profile(space: "RGB ", name: "sRGB")))
    #expect(!ProfileDescription.isStandardRGB(Self.profile(space: "RGB ", name: "Display P3")))
    #expect(ProfileDescription.text(of: []) == nil && !ProfileDescription.isStandardRGB([]))
  }
}
