import Testing
import Vips

@testable import ImageRendering

/// BMP, ICO and XBM go through ImageMagick's loader, which libvips blocks otherwise.
@Suite("BMP, ICO and XBM", .timeLimit(.minutes(8)))
struct RenderingSmallFormatTests {
  private static func number(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// 2 by 2 pixels of 24 bits: blue and green below, red and white above; rows are padded to four bytes.
  private static let rows: [UInt8] = [255, 0, 0, 0, 255, 0, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0]

  private static func header(height: Int) -> [UInt8] {
    number(40, 4) + number(2, 4) + number(height, 4) + number(1, 2) + number(24, 2) + number(0, 4)
      + number(16, 4)
      + number(2835, 4) + number(2835, 4) + number(0, 4) + number(0, 4)
  }

  static let files: [(String, [UInt8])] = {
    let bmp = Array("BM".utf8) + number(70, 4) + number(0, 4) + number(54, 4) + header(height: 2) + rows
    let image = header(height: 4) + rows + [0, 0, 0, 0, 0, 0, 0, 0]
    let ico =
      number(0, 2) + number(1, 2) + number(1, 2) + [2, 2, 0, 0] + number(1, 2) + number(24, 2)
      + number(image.count, 4) + number(22, 4) + image
    let xbm = Array("#define a_width 8\n#define a_height 2\nstatic char a_bits[] = {\n0x0f, 0xf0 };\n".utf8)
    return [("bmp", bmp), ("ico", ico), ("xbm", xbm)]
  }()

  @Test("are read by their signatures", arguments: files.indices)
  func read(index: Int) throws {
    let (name, bytes) = Self.files[index]
    let fixture = try RenderingFixture()
    let recipe = try fixture.recipe(1, "", "png")
    let response = Renderer().render(try fixture.request(fixture.write(bytes, "file"), [recipe]))
    _ = try #require(response.file(1), "\(String(describing: response.failure(1)))")
    #expect(response.source?.format == name)
    let made = try fixture.open(recipe.temporaryPath)
    let pixels = try made.pixels()
    if name == "xbm" {
      #expect(made.width == 8 && made.height == 2)
      #expect(pixels[0] == 0 && pixels[7 * made.bands] == 255)
    } else {
      #expect(made.width == 2 && made.height == 2)
      #expect(Array(pixels[0..<3]) == [255, 0, 0])
      #expect(Array(pixels[(2 * made.bands)..<(2 * made.bands + 3)]) == [0, 0, 255])
    }
  }
}
