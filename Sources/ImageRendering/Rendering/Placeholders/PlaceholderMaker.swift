import FoundationEssentials
import ImageFilters
import ImageFilters
import Vips

/// Computes an image's placeholders from a thumbnail.
struct PlaceholderMaker {
  /// The first frame in 8-bit sRGB, at most 100 by 100 pixels.
  private let small: ThumbnailPixels
  private let thumbnail: VipsImage

  init(_ image: VipsImage) throws {
    let frame = try image.cropped(x: 0, y: 0, width: image.width, height: image.pageHeight)
    let fitted = try FilterChain(parsing: "limit:100x100").apply(to: frame.inSRGB())
    let plain = try fitted.converted(to: .sRGB).cast(to: .uchar).materialized()
    small = ThumbnailPixels(
      width: plain.width, height: plain.height, rgba: try Self.opaque(plain).pixels())
    thumbnail = try FilterChain(parsing: "limit:20x20").apply(to: plain)
  }

  func placeholders() throws -> Placeholders {
    Placeholders(
      dominantColor: DominantColor.text(of: small), blurHash: BlurHash.text(of: small),
      thumbHash: Data(ThumbHash.bytes(of: small)).base64EncodedString(), dataURI: try dataURI())
  }

  private static func opaque(_ image: VipsImage) throws(VipsError) -> VipsImage {
    image.hasAlpha ? image : try image.joiningConstantBand(255)
  }

  /// A WebP of at most 20 by 20 pixels, about 150 bytes.
  private func dataURI() throws -> String {
    let arguments: VipsArguments = ["in": .image(thumbnail), "Q": 40, "effort": 6]
    let bytes = try VipsOperation("webpsave_buffer", arguments.merging(VipsRuntime.withoutMetadata))
      .bytes("buffer")
    return "data:image/webp;base64," + Data(WebPFile.withoutEXIF(bytes)).base64EncodedString()
  }
}

struct ThumbnailPixels {
  let width: Int
  let height: Int
  /// Four bytes per pixel, not premultiplied.
  let rgba: [UInt8]

  /// Linear light, 0 to 1, by sRGB value.
  static let light: [Double] = (0...255).map { value in
    let number = Double(value) / 255
    return number <= 0.04045 ? number / 12.92 : power((number + 0.055) / 1.055, 2.4)
  }

  /// The sRGB value, 0 to 255, of linear light.
  static func encoded(_ light: Double) -> Int {
    let light = min(1, max(0, light))
    let number = light <= 0.003_130_8 ? light * 12.92 : 1.055 * power(light, 1 / 2.4) - 0.055
    return Int((number * 255).rounded())
  }
}
