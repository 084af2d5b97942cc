import FoundationEssentials
import ImageFilters
import ImageFilters
import Vips

/// Makes what stands for a picture until it is there, from a small version of it.
struct PlaceholderMaking {
  /// A rendition as it was encoded: sRGB of 8 bits, 3 bands and perhaps an alpha, one frame.
  private let small: SmallPicture
  private let thumbnail: VipsImage

  init(_ image: VipsImage) throws {
    let frame = try image.cropped(x: 0, y: 0, width: image.width, height: image.pageHeight)
    let fitted = try FilterChain(parsing: "limit:100x100").apply(to: frame.inSRGB())
    let plain = try fitted.converted(to: .sRGB).cast(to: .uchar).materialized()
    small = SmallPicture(
      width: plain.width, height: plain.height, rgba: try Self.opaque(plain).pixels())
    thumbnail = try FilterChain(parsing: "limit:20x20").apply(to: plain)
  }

  func placeholders() throws -> Placeholders {
    Placeholders(
      dominantColour: DominantColour.text(of: small), blurHash: BlurHash.text(of: small),
      thumbHash: Data(ThumbHash.bytes(of: small)).base64EncodedString(), dataURI: try dataURI())
  }

  private static func opaque(_ image: VipsImage) throws(VipsError) -> VipsImage {
    image.hasAlpha ? image : try image.joiningConstantBand(255)
  }

  /// A WebP of at most 20 by 20 pixels: some 150 bytes.
  private func dataURI() throws -> String {
    let arguments: VipsArguments = ["in": .image(thumbnail), "Q": 40, "effort": 6]
    let bytes = try VipsOperation("webpsave_buffer", arguments.merging(VipsRuntime.withoutMetadata))
      .bytes("buffer")
    return "data:image/webp;base64," + Data(WebPFile.withoutEXIF(bytes)).base64EncodedString()
  }
}

/// Pixels of a picture that is small enough to be looked at one by one.
struct SmallPicture {
  let width: Int
  let height: Int
  /// Four bytes a pixel, not premultiplied.
  let rgba: [UInt8]

  /// Linear light of sRGB's numbers.
  static let light: [Double] = (0...255).map { value in
    let number = Double(value) / 255
    return number <= 0.04045 ? number / 12.92 : power((number + 0.055) / 1.055, 2.4)
  }

  /// sRGB's number for an amount of light.
  static func encoded(_ light: Double) -> Int {
    let light = min(1, max(0, light))
    let number = light <= 0.003_130_8 ? light * 12.92 : 1.055 * power(light, 1 / 2.4) - 0.055
    return Int((number * 255).rounded())
  }
}
