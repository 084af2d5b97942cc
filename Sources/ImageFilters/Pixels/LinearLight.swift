import Vips

/// Converts 8-bit sRGB to premultiplied linear light in 16 bits (0 to 65,280) and back, in one pass each way.
///
/// libvips' operations for this (`colorspace`, `multiply`, `divide`, casts) use float images, which took two thirds of
/// a blur's time.
enum LinearLight {
  /// The value of white and of opaque alpha.
  static let white = 65_280

  /// Linear light, from 0 to ``white``, by 8-bit sRGB value (IEC 61966-2-1).
  private static let lights: [Float] = (0..<256).map { number in
    let level = Double(number) / 255
    let light = level <= 0.04045 ? level / 12.92 : power((level + 0.055) / 1.055, 2.4)
    return Float(light * Double(white))
  }

  /// The nearest 8-bit sRGB value by linear light.
  private static let numbers: [UInt8] = (0...white).map { number in
    let light = Double(number) / Double(white)
    let level = light <= 0.003_130_8 ? light * 12.92 : 1.055 * power(light, 1 / 2.4) - 0.055
    return UInt8((level * 255).rounded())
  }

  /// Whether an image can be converted: 8-bit sRGB with 3 bands, or 4 with alpha.
  static func represents(_ image: VipsImage) -> Bool {
    image.format == .uchar && image.interpretation == .sRGB && (image.bands == 3 || image.bands == 4)
  }

  /// Converts sRGB to premultiplied linear light.
  /// - Parameter image: An image that ``represents(_:)`` accepts.
  /// - Returns: `ushort` with the same bands.
  static func decoded(_ image: VipsImage) throws(VipsError) -> VipsImage {
    let hasAlpha = image.bands == 4
    let lights = lights
    return try image.computing(format: .ushort) { input, output in
      rows(input, output) { (from: UnsafePointer<UInt8>, to: UnsafeMutablePointer<UInt16>, width) in
        lights.withUnsafeBufferPointer { lights in
          guard hasAlpha else {
            for place in 0..<3 * width { to[place] = UInt16(lights[Int(from[place])] + 0.5) }
            return
          }
          for place in stride(from: 0, to: 4 * width, by: 4) {
            let alpha = from[place + 3]
            let coverage = Float(alpha) / 255
            for band in place..<place + 3 { to[band] = UInt16(lights[Int(from[band])] * coverage + 0.5) }
            to[place + 3] = UInt16(alpha) << 8
          }
        }
      }
    }
  }

  /// Converts premultiplied linear light to sRGB.
  /// - Parameter light: An image in the form that ``decoded(_:)`` returns.
  /// - Returns: `uchar` with the same bands. Pixels with an alpha of 0 are black.
  static func encoded(_ light: VipsImage) throws(VipsError) -> VipsImage {
    let hasAlpha = light.bands == 4
    let numbers = numbers
    return try light.computing(format: .uchar) { input, output in
      rows(input, output) { (from: UnsafePointer<UInt16>, to: UnsafeMutablePointer<UInt8>, width) in
        numbers.withUnsafeBufferPointer { numbers in
          guard hasAlpha else {
            for place in 0..<3 * width { to[place] = numbers[min(Int(from[place]), white)] }
            return
          }
          for place in stride(from: 0, to: 4 * width, by: 4) {
            let alpha = from[place + 3]
            let factor = alpha == 0 ? 0 : Float(white) / Float(alpha)
            for band in place..<place + 3 {
              // Rounding may have left a color slightly above its alpha.
              to[band] = numbers[Int(min(Float(from[band]) * factor + 0.5, Float(white)))]
            }
            to[place + 3] = UInt8(min((Int(alpha) + 128) >> 8, 255))
          }
        }
      }
    }
  }

  private static func rows<From, To>(
    _ input: PixelRows, _ output: PixelRows,
    _ body: (UnsafePointer<From>, UnsafeMutablePointer<To>, _ width: Int) -> Void
  ) {
    for y in 0..<output.height {
      body(
        UnsafePointer(input.row(y).assumingMemoryBound(to: From.self)),
        output.row(y).assumingMemoryBound(to: To.self), output.width)
    }
  }
}
