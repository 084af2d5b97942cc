import Testing
import Vips

@testable import ImageRendering

@Suite("Encodings", .timeLimit(.minutes(8)))
struct EncodingTests {
  private func encoding(
    _ pathExtension: String?, _ change: (inout EncodingSettings) -> Void = { _ in }
  ) throws -> Encoding {
    var settings = EncodingSettings()
    change(&settings)
    return try Encoding(resolving: settings, pathExtension: pathExtension)
  }

  @Test(
    "the extension says the format",
    arguments: [
      ("jpg", OutputFormat.jpeg), ("JPEG", .jpeg), ("tif", .tiff), ("heif", .heic), ("webp", .webp),
    ])
  func byExtension(pathExtension: String, format: OutputFormat) throws {
    #expect(try encoding(pathExtension).format == format)
  }

  @Test("a format that agrees with the extension is no contradiction")
  func agreement() throws {
    #expect(try encoding("jpg") { $0.format = "jpeg" } == encoding("jpg"))
    #expect(try encoding("dat") { $0.format = "png" }.format == .png)
    #expect(try encoding(nil) { $0.format = "WebP" }.format == .webp)
  }

  @Test("settings are complained of by name, with what may be written")
  func complaints() {
    let cases: [(String?, String, String, (inout EncodingSettings) -> Void)] = [
      ("png", "format", "contradicts", { $0.format = "jpeg" }),
      ("xyz", "format", "'.xyz'", { _ in }),
      (nil, "format", "has no format", { _ in }),
      (nil, "format", "unknown format 'pgn'", { $0.format = "pgn" }),
      ("jpg", "quality", "1…100", { $0.quality = "101" }),
      ("jpg", "encode.speed", "has no option 'speed'", { $0.options["speed"] = "1" }),
      ("jpg", "encode.progressive", "true|false", { $0.options["progressive"] = "maybe" }),
      ("jpg", "metadata", "none, copyright, all", { $0.metadata = "some" }),
      ("gif", "frames", "all, first", { $0.frames = "0" }),
      ("gif", "format", "end it in '.{ext}'", { $0.format = "auto" }),
      ("jpg", "format", "end it in '.{ext}'", { $0.format = "jpeg,webp" }),
      (nil, "format", "twice", { $0.format = "jpeg,jpg" }),
      (nil, "format", "unknown format 'jpx'", { $0.format = "jpeg,jpx" }),
      (nil, "format", "unknown format ''", { $0.format = "jpeg," }),
      ("jpg", "min-savings", "[jpeg, webp]", { $0.minSavings = "5%" }),
      (
        nil, "min-savings", "percentage",
        {
          $0.format = "auto"
          $0.minSavings = "100%"
        }
      ),
      (
        nil, "encode.tile", "jpeg, png, webp have no option 'tile'",
        {
          $0.format = "auto"
          $0.options["tile"] = "true"
        }
      ),
      ("jpg", "profile", "readable ICC file", { $0.profile = "/no/such.icc" }),
    ]
    for (pathExtension, setting, words, change) in cases {
      let error = #expect(throws: EncodingSettingsError.self) { try encoding(pathExtension, change) }
      #expect(error?.setting == setting)
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
  }

  @Test("an ICC file is refused where no format can hold it, and ignored by one of several that can't")
  func unusedProfile() throws {
    let bytes = try VipsOperation("profile_load", ["name": "p3"]).bytes("profile")
    let fixture = try RenderingFixture()
    let profile = try fixture.write(bytes, "p3.icc")
    let error = #expect(throws: EncodingSettingsError.self) {
      try encoding("gif") { $0.profile = profile }
    }
    #expect(error?.setting == "profile")
    #expect(error?.message.contains("gif can't hold the color profile") == true)
    let several = try encoding(nil) {
      $0.format = "gif,png"
      $0.profile = profile
    }
    #expect(several.choices[0].profile == .sRGB && several.choices[1].profile != .sRGB)
    // As a default, it isn't meant for GIF.
    var defaults = EncodingSettings()
    defaults.profile = profile
    #expect(defaults.fitting(EncodingSettings(), pathExtension: "gif").profile == nil)
    #expect(defaults.fitting(EncodingSettings(), pathExtension: "png").profile == profile)
  }

  @Test("a file that isn't an ICC profile for RGB is refused by its name")
  func wrongProfiles() throws {
    let fixture = try RenderingFixture()
    let inks = try VipsOperation("profile_load", ["name": "cmyk"]).bytes("profile")
    let colors = try VipsOperation("profile_load", ["name": "p3"]).bytes("profile")
    var gray = colors
    gray.replaceSubrange(16..<20, with: Array("GRAY".utf8))
    let files: [(name: String, bytes: [UInt8], words: String)] = [
      ("text.icc", Array("not a profile".utf8), "isn't an ICC profile"),
      ("empty.icc", [], "isn't an ICC profile"),
      ("zeros.icc", [UInt8](repeating: 0, count: 500), "isn't an ICC profile"),
      ("cut.icc", Array(colors.prefix(100)), "isn't an ICC profile"),
      ("inks.icc", inks, "is a profile for CMYK"), ("gray.icc", gray, "is a profile for GRAY"),
    ]
    for (name, bytes, words) in files {
      let path = try fixture.write(bytes, name)
      let error = #expect(throws: EncodingSettingsError.self) {
        try encoding("webp") { $0.profile = path }
      }
      #expect(error?.setting == "profile", "\(name)")
      #expect(error?.message.contains("'\(path)' \(words)") == true, "\(error?.message ?? "")")
    }
    let path = try fixture.write(colors, "colors.icc")
    #expect(try encoding("webp") { $0.profile = path }.profile != .sRGB)
  }

  @Test("one encoding has one identifier, and two have two")
  func identifiers() throws {
    #expect(
      try encoding("jpg") { $0.quality = "80" }.identifier
        == encoding("jpeg") { $0.options["quality"] = "80" }.identifier)
    let different = try [
      encoding("jpg"), encoding("png"), encoding("jpg") { $0.quality = "81" },
      encoding("jpg") { $0.metadata = "none" }, encoding("jpg") { $0.maxBytes = 1000 },
      encoding("jpg") { $0.background = "red" }, encoding("gif"), encoding("gif") { $0.frames = "first" },
    ].map(\.identifier)
    #expect(Set(different).count == different.count)
  }

  @Test("several formats are one encoding, each with the options that it has")
  func several() throws {
    let several = try encoding(nil) {
      $0.format = "webp, JPG,png"
      $0.options = ["effort": "2", "compression": "9"]
      $0.quality = "70"
      $0.minSavings = "12.5%"
    }
    #expect(several.choices.map(\.format) == [.webp, .jpeg, .png])
    #expect(several.minSavings == 0.125)
    #expect(
      several.choices[0].option("effort") == .integer(2)
        && several.choices[0].option("quality") == .integer(70))
    #expect(
      several.choices[1].option("quality") == .integer(70) && several.choices[1].option("effort") == nil)
    #expect(several.choices[2].option("compression") == .integer(9))
    #expect(try encoding(nil) { $0.format = "Auto" }.choices.map(\.format) == Encoding.automatic)
    #expect(try encoding("dat") { $0.format = "auto" }.choices.count == 3)
    let different = try [
      encoding(nil) { $0.format = "webp,jpeg" }, encoding(nil) { $0.format = "jpeg,webp" },
      encoding(nil) { $0.format = "webp" }, encoding(nil) { $0.format = "auto" },
      encoding(nil) {
        $0.format = "jpeg,webp"
        $0.minSavings = "5"
      },
    ].map(\.identifier)
    #expect(Set(different).count == different.count)
  }

  @Test("every option of every format resolves to its default")
  func defaults() throws {
    for definition in EncoderTable.all {
      let encoding = try encoding(definition.pathExtensions[0])
      #expect(encoding.format == definition.format)
      for option in definition.options { #expect(encoding.option(option.name) == option.defaultValue) }
    }
  }
}
