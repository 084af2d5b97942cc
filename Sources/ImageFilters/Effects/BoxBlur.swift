import Vips

/// The mean of the square around each pixel. Edge pixels are repeated beyond the image.
struct BoxBlur {
  /// The pixels on each side of the center pixel.
  let radius: Int
  let linear: Bool
  let storage: PixelStorage

  func apply(to image: VipsImage) throws -> VipsImage {
    if radius == 0 { return image }
    return try image.mixingPixels(linear: linear) { numbers in
      guard numbers.format == .float else { return try mean(numbers) }
      // Store computed samples in 16 bits: they are read again for every row and column of the square.
      let factor = 65_535 / (linear ? 1 : image.maximum)
      let fixed = try storage.keeping(numbers.linear([factor], [0.5]).cast(to: .ushort))
      return try mean(fixed).linear([1 / factor], [0])
    }
  }

  /// With `approximate`, libvips recognizes the mask as one box and moves a running sum, whose cost doesn't depend on
  /// the radius. It does so for integer formats only.
  private func mean(_ image: VipsImage) throws(VipsError) -> VipsImage {
    let count = 2 * radius + 1
    let ones = [Double](repeating: 1, count: count).flatMap { value in
      withUnsafeBytes(of: value) { Array($0) }
    }
    let mask = try VipsImage(pixels: ones, width: count, height: 1, bands: 1, format: .double)
      .editingMetadata { $0.set("scale", Double(count)) }
    return try image.applying("convsep", ["mask": .image(mask), "precision": "approximate", "layers": 1])
  }
}
