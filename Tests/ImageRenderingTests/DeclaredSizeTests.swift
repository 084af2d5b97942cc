import Testing
import Vips

@testable import ImageRendering

@Suite("Sizes that a file declares and its decoder refuses")
struct DeclaredSizeTests {
  private static func littleEndian(_ value: Int32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A file header and a BITMAPINFOHEADER of 24 bits for each pixel, without pixels.
  private static func bmp(_ width: Int32, _ height: Int32) -> [UInt8] {
    let words: [Int32] = [54, 0, 54, 40, width, height, 1 | 24 << 16, 0, 0, 0, 0, 0, 0]
    return Array("BM".utf8) + words.flatMap(littleEndian)
  }

  /// A signature and an IHDR chunk of one gray bit for each pixel.
  private static func png(_ width: Int32, _ height: Int32) throws -> [UInt8] {
    var header = Array("IHDR".utf8)
    for side in [width, height] { header += littleEndian(side).reversed() }
    header += [1, 0, 0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + header + [0, 0, 0, 0]
  }

  private func error(
    _ bytes: [UInt8], _ name: String, limits: RenderLimits = RenderLimits()
  ) throws -> RenderError? {
    let fixture = try RenderingFixture()
    let path = try fixture.write(bytes, name)
    return #expect(throws: RenderError.self) { try SourceFile(path: path, limits: limits) }
  }

  @Test(
    "are refused by the pixel limit if they exceed it",
    arguments: [(60_000, 60_000), (60_000, -60_000)] as [(Int32, Int32)])
  func pixels(width: Int32, height: Int32) throws {
    let error = try error(Self.bmp(width, height), "big.bmp")
    #expect(error?.code == .tooManyPixels && error?.stage == .decode)
    #expect(error?.reason == .sourcePixels(3_600_000_000, frames: 1, limit: 268_402_689))
    #expect(error?.message.contains("60000x60000 pixels, more than the limit") == true)
  }

  @Test(
    "are refused by the longest side of libvips if they exceed it",
    arguments: [(60_000_000, 4), (4, 60_000_000)] as [(Int32, Int32)])
  func sides(width: Int32, height: Int32) throws {
    guard VipsRuntime.longestSide == 10_000_000 else { return }
    let error = try error(try Self.png(width, height), "long.png")
    #expect(error?.code == .tooManyPixels && error?.reason == nil)
    #expect(error?.message.contains("\(width)x\(height) pixels; its decoder") == true)
  }

  @Test(
    "are no damage if ImageMagick refuses them, and it names no descriptor",
    arguments: [
      "width or height exceeds limit `/proc/self/fd/13' @ error/cache.c/OpenPixelCache/3928",
      "cache resources exhausted `/proc/self/fd/13' @ error/cache.c/OpenPixelCache/4125",
    ])
  func imageMagick(words: String) {
    let error = DecodeFailure.error(
      VipsError(operation: "magickload", text: "magick2vips: libMagick error: \(words)\n"), .bmp)
    #expect(error.code == .tooManyPixels && error.stage == .decode && !error.isDamage)
    #expect(error.message.contains(words.prefix { $0 != "`" }.dropLast()))
    #expect(error.message.contains("policy.xml") && !error.message.contains("/proc"))
  }

  @Test("are refused by the longest side only if the decoder refuses the file")
  func accepted() throws {
    let fixture = try RenderingFixture()
    let path = try fixture.save(RenderingFixture.waves(64, 48), "pngsave", "small.png")
    let file = try SourceFile(path: path, limits: RenderLimits())
    #expect(file.shape.stored.width == 64)
  }
}
