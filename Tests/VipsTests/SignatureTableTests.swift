import TestSupport
import Testing

@testable import Vips

/// Every format's beginning, and what is near to it.
@Suite("Signatures of all formats", .timeLimit(.minutes(8)))
struct SignatureTableTests {
  private static func media(_ brands: [String]) -> [UInt8] {
    let body =
      Array("ftyp".utf8) + Array(brands[0].utf8) + [0, 0, 0, 0]
      + brands.dropFirst().flatMap { Array($0.utf8) }
    return [0, 0, 0, UInt8(body.count + 4)] + body
  }

  private static func bitmap(header: UInt8) -> [UInt8] {
    Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + [header, 0, 0, 0]
  }

  private static let icon: [UInt8] = [0, 0, 1, 0, 1, 0] + [UInt8](repeating: 16, count: 16)

  /// A format's heads, each as short as it may be.
  static let heads: [(format: ImageFormat, head: [UInt8])] = [
    (.jpeg, [0xff, 0xd8, 0xff]), (.png, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    (.webp, Array("RIFF....WEBP".utf8)), (.gif, Array("GIF87a".utf8)), (.gif, Array("GIF89a".utf8)),
    (.tiff, [0x49, 0x49, 0x2a, 0]), (.tiff, [0x4d, 0x4d, 0, 0x2a]), (.tiff, [0x49, 0x49, 0x2b, 0]),
    (.tiff, [0x4d, 0x4d, 0, 0x2b]), (.bmp, bitmap(header: 40)), (.bmp, bitmap(header: 12)),
    (.bmp, bitmap(header: 124)), (.ico, icon), (.ico, [0, 0, 2, 0] + icon.dropFirst(4)),
    (.jxl, [0xff, 0x0a]), (.jxl, [0, 0, 0, 0x0c, 0x4a, 0x58, 0x4c, 0x20]),
    (.jp2k, [0, 0, 0, 0x0c, 0x6a, 0x50, 0x20, 0x20]), (.jp2k, [0xff, 0x4f, 0xff, 0x51]),
    (.pdf, Array("%PDF".utf8)), (.exr, [0x76, 0x2f, 0x31, 0x01]), (.psd, Array("8BPS".utf8)),
    (.fits, Array("SIMPLE  =".utf8)), (.hdr, Array("#?RADIANCE".utf8)), (.hdr, Array("#?RGBE".utf8)),
    (.ppm, Array("P1\n".utf8)), (.ppm, Array("P6 ".utf8)), (.ppm, Array("P7\n".utf8)),
    (.ppm, Array("PF\n".utf8)),
    (.xbm, Array("#define a_width 3".utf8)), (.svg, Array("<svg".utf8)),
    (.svg, Array("\u{feff} \n<?xml version='1.0'?>\n<!DOCTYPE svg><svg".utf8)),
    (.avif, media(["avif", "mif1", "miaf"])), (.avif, media(["mif1", "avis"])), (.heic, media(["heic"])),
    (.heic, media(["isom", "heix"])), (.heic, media(["mif1"])), (.heic, media(["msf1", "hevs"])),
  ]

  @Test("are in the table, all of them")
  func complete() {
    #expect(Set(Self.heads.map(\.format)) == Set(ImageFormat.allCases))
  }

  @Test("tell the format, whatever follows")
  func recognized() {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for (format, head) in Self.heads {
      #expect(ImageFormat(signature: head) == format, "\(format)")
      for _ in 0..<5 {
        let tail = (0..<64).map { _ in UInt8.random(in: 0...255, using: &random) }
        // Of media files the first four bytes say how many brands there are.
        #expect(ImageFormat(signature: head + tail) == format, "seed \(seed): \(format) \(tail)")
      }
    }
  }

  @Test("cut short are no format, and no other one")
  func truncated() {
    for (format, head) in Self.heads {
      for count in 0..<head.count {
        let found = ImageFormat(signature: Array(head.prefix(count)))
        // A brand of both formats may come before that of one.
        #expect(
          found == nil || found == format || format == .avif && found == .heic,
          "\(format): \(count) bytes are \(String(describing: found))")
        // What stands for a format by itself is in the table in its shortest form.
        let hasShorter = ["svg", "hdr", "avif", "heic", "xbm"].contains(format.rawValue)
        if !hasShorter { #expect(found == nil, "\(format): \(count) bytes") }
      }
    }
  }

  @Test("with one byte changed are that format no more, where that byte is part of its number")
  func changed() {
    let numbers: Set<ImageFormat> = [.jpeg, .png, .exr, .psd, .tiff, .jp2k]
    for (format, head) in Self.heads where numbers.contains(format) {
      for index in head.indices {
        var bent = head
        bent[index] ^= 0x40
        #expect(ImageFormat(signature: bent) != format, "\(format): byte \(index)")
      }
    }
  }

  @Test(
    "that are nearly some",
    arguments: [
      "GIF88", "GIF8xb", "RIFF....WAVE", "P8\n", "P6x", "P6", "#define a_height 3", "SIMPLE = T", "%PD", "BM",
      "<html><svg>", "<!DOCTYPE html><svg>", "x<svg>", "#?R", "8BP", "svg",
    ])
  func near(text: String) { #expect(ImageFormat(signature: Array(text.utf8)) == nil) }

  @Test("of bitmaps with a header that none has, and of icons without images, are none")
  func impossible() {
    for header: UInt8 in [0, 1, 13, 41, 63, 125, 255] {
      #expect(ImageFormat(signature: Self.bitmap(header: header)) == nil, "\(header)")
    }
    #expect(ImageFormat(signature: [0, 0, 1, 0, 0, 0] + [UInt8](repeating: 16, count: 16)) == nil)
    #expect(ImageFormat(signature: Self.media(["isom"])) == nil)
    // The box's length says that the brand isn't in it.
    var short = Self.media(["isom", "avif"])
    short[3] = 16
    #expect(ImageFormat(signature: short) == nil)
  }

  @Test("of what libvips saves are those of the format that it saved")
  func saved() throws {
    let image = try Sample.image(16, 16, interpretation: .sRGB)
    for (saver, format) in [
      ("jpeg", ImageFormat.jpeg), ("png", .png), ("webp", .webp), ("gif", .gif), ("tiff", .tiff),
    ] where try VipsRuntime.hasOperation("\(saver)save_buffer") {
      let head = Array(try Sample.file(image, as: saver).prefix(4096))
      #expect(ImageFormat(signature: head) == format, "\(saver)")
    }
    if try VipsRuntime.hasOperation("heifsave_buffer") {
      let head = Array(try Sample.file(image, as: "heif", ["compression": "av1", "speed": 9]).prefix(4096))
      #expect(ImageFormat(signature: head) == .avif)
    }
  }

  @Test("of any bytes are judged without harm")
  func noise() {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for _ in 0..<3000 {
      // Noise with a beginning that some format has.
      let start = Self.heads[Int.random(in: 0..<Self.heads.count, using: &random)].head
      var head = Array(start.prefix(Int.random(in: 0...start.count, using: &random)))
      head += (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      _ = ImageFormat(signature: head)
      let content = NonImageContent(head: head)
      #expect((content == .empty) == head.isEmpty)
    }
  }

  @Test(
    "of something else tell what it is",
    arguments: [
      ("", NonImageContent.empty), ("<!DOCTYPE HTML><p>", .html), ("<HTML>", .html), ("\n\t <head>", .html),
      ("\u{feff}<html>", .html), ("<?xml version='1.0'?><html>", .html), ("<div><body>", .html),
      ("<?xml version='1.0'?><rss>", .xml), ("<rss>", .xml), ("{\"a\": 1}", .json), (" [1]", .json),
      ("hello\r\n", .text), ("caf\u{e9}", .text), ("PK\u{3}\u{4}", .archive), ("\u{1}\u{2}", .unknown),
      ("a\0b", .unknown), ("....ftypisom", .video),
    ])
  func foreign(text: String, content: NonImageContent) {
    #expect(NonImageContent(head: Array(text.utf8)) == content)
  }

  @Test("of archives and videos that begin with no text")
  func foreignBytes() {
    #expect(NonImageContent(head: [0x1f, 0x8b, 8]) == .archive)
    #expect(NonImageContent(head: [0x1a, 0x45, 0xdf, 0xa3]) == .video)
    #expect(NonImageContent(head: [0xff, 0xfe, 0x00]) == .unknown)
    #expect(NonImageContent(head: [127]) == .unknown)
  }

  @Test(
    "of the formats that are read by default: none of them is one that libvips blocks, but for those of Magick"
  )
  func byDefault() {
    for format in ImageFormat.allCases {
      let blocked = Loader(format).blockedClass
      let isRead = ImageFormat.readByDefault.contains(format)
      #expect(isRead || blocked != nil, "\(format): nothing keeps it from being read")
      if isRead, let blocked { #expect(blocked.hasSuffix("Magick"), "\(format)") }
    }
  }
}
