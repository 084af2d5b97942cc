import Foundation
import SystemIO
import TestSupport
import Testing
import Vips

@testable import ImageRendering

@Suite("JPEG files written without libvips", .timeLimit(.minutes(8)))
struct JPEGWriterTests {
  private let directory: TestDirectory

  init() throws {
    directory = try TestDirectory("jpeg-writer")
    try VipsRuntime.start()
  }

  /// Colors that change in both directions, with sharp edges.
  private func image(width: Int, height: Int, bands: Int) throws -> VipsImage {
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        for band in 0..<bands {
          pixels.append(UInt8((x * 7 + y * 3 + band * 85 + (x / 5 + y / 9) % 2 * 120) & 255))
        }
      }
    }
    return try VipsImage(
      pixels: pixels, width: width, height: height, bands: bands,
      interpretation: bands == 1 ? .gray : .sRGB)
  }

  private func encoding(_ options: [String: String] = [:]) throws -> Encoding {
    var settings = EncodingSettings()
    settings.options = options
    return try Encoding(resolving: settings, pathExtension: "jpg")
  }

  private func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: directory[name])) }

  @Test(
    "have the bytes that libvips writes, for all sizes, bands and options",
    arguments: [(1, 1), (7, 5), (16, 16), (17, 33), (100, 75), (640, 97)], [1, 3])
  func sameBytes(size: (width: Int, height: Int), bands: Int) throws {
    let image = try image(width: size.width, height: size.height, bands: bands)
    for quality in [1, 50, 80, 89, 90, 100] {
      for subsampling in ["auto", "on", "off"] {
        for (progressive, optimize) in [(false, false), (false, true), (true, false), (true, true)] {
          let encoding = try encoding([
            "quality": "\(quality)", "subsampling": subsampling, "progressive": "\(progressive)",
            "optimize": "\(optimize)",
          ])
          let writer = try #require(JPEGWriter(encoding, image: image, threads: 1))
          try writer.write(image, to: directory["own.jpg"])
          let arguments: VipsArguments = [
            "in": .image(image), "filename": .string(directory["libvips.jpg"]), "Q": .integer(quality),
            "subsample-mode": .nick(subsampling), "interlace": .boolean(progressive),
            "optimize-coding": .boolean(optimize),
          ]
          _ = try VipsOperation("jpegsave", arguments.merging(VipsRuntime.withoutMetadata))
          #expect(
            try bytes("own.jpg") == bytes("libvips.jpg"),
            "quality \(quality), subsampling \(subsampling), progressive \(progressive), optimize \(optimize)"
          )
        }
      }
    }
  }

  @Test("are left to libvips if it has to convert the image, and while it may use several threads")
  func others() throws {
    let encoding = try encoding()
    let colors = try image(width: 8, height: 8, bands: 3)
    #expect(JPEGWriter(encoding, image: colors, threads: 1) != nil)
    #expect(JPEGWriter(encoding, image: colors, threads: 2) == nil)
    #expect(try JPEGWriter(encoding, image: image(width: 8, height: 8, bands: 4), threads: 1) == nil)
    #expect(
      try JPEGWriter(encoding, image: colors.applying("colourspace", ["space": .nick("lab")]), threads: 1)
        == nil)
    #expect(try JPEGWriter(encoding, image: colors.converted(to: .rgb16), threads: 1) == nil)
  }

  @Test("name the cause if they can't be written")
  func unwritable() throws {
    let image = try image(width: 8, height: 8, bands: 3)
    let writer = try #require(JPEGWriter(encoding(), image: image, threads: 1))
    for (path, cause) in [("/dev/full", ENOSPC), (directory["missing/a.jpg"], ENOENT)] {
      let error = #expect(throws: VipsError.self) { try writer.write(image, to: path) }
      #expect(error?.text.contains(String(cString: strerror(cause))) == true, "\(String(describing: error))")
    }
  }

  @Test("end with the source's error if its rows can't be computed")
  func damaged() throws {
    let image = try image(width: 64, height: 640, bands: 3)
    _ = try VipsOperation("pngsave", ["in": .image(image), "filename": .string(directory["whole.png"])])
    let whole = try bytes("whole.png")
    try directory.write(Array(whole.prefix(whole.count / 2)), to: "half.png")
    let half = try Loader(.png).open(directory["half.png"], sequential: true, failOn: "truncated")
    let writer = try #require(JPEGWriter(encoding(), image: half, threads: 1))
    #expect(throws: VipsError.self) { try writer.write(half, to: directory["half.jpg"]) }
    #expect(!File.exists(directory["half.jpg"]))
  }
}
