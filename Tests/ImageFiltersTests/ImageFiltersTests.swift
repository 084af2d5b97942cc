import Testing
import Vips

@testable import ImageFilters

/// Images made for tests, and looks at pixels.
enum TestImage {
  /// Colors that differ everywhere, so that a shift or a swap shows.
  static func gradient(_ width: Int, _ height: Int, alpha: Bool = false) throws -> VipsImage {
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        pixels.append(UInt8(x * 255 / max(1, width - 1)))
        pixels.append(UInt8(y * 255 / max(1, height - 1)))
        pixels.append(UInt8((x + y) % 256))
        if alpha { pixels.append(UInt8((x * 7 + y * 3) % 256)) }
      }
    }
    return try VipsImage(
      pixels: pixels, width: width, height: height, bands: alpha ? 4 : 3, interpretation: .sRGB)
  }

  static func plain(_ values: [Double], _ width: Int, _ height: Int) throws -> VipsImage {
    try VipsImage.plain(values, width: width, height: height)
  }

  /// A pixel's numbers.
  static func pixel(_ image: VipsImage, _ x: Int, _ y: Int) throws -> [UInt8] {
    let pixels = try image.pixels()
    let start = (y * image.width + x) * image.bands
    return Array(pixels[start..<start + image.bands])
  }
}
