import Vips

/// The mean of the square round each pixel, the outermost pixels repeated beyond the edge.
struct BoxBlur {
  /// On either side of a pixel.
  let radius: Int
  let linear: Bool

  func apply(to image: VipsImage) throws -> VipsImage {
    if radius == 0 { return image }
    return try image.mixingPixels(linear: linear) { try mean(mean($0, across: true), across: false) }
  }

  /// Averages one row or column of pixels at a time; two passes make the square.
  private func mean(_ image: VipsImage, across: Bool) throws -> VipsImage {
    let count = 2 * radius + 1
    let weight = 1 / Double(count)
    let bytes = [Double](repeating: weight, count: count).flatMap { value in
      withUnsafeBytes(of: value) { Array($0) }
    }
    let mask = try VipsImage(
      pixels: bytes, width: across ? count : 1, height: across ? 1 : count, bands: 1, format: .double)
    return try image.cast(to: .float).applying("conv", ["mask": .image(mask), "precision": "float"])
  }
}
