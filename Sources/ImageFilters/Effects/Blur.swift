import Vips

/// A Gaussian blur with a choice of edge handling.
struct Blur {
  /// The standard deviation in pixels.
  let radius: Double
  /// `clamp`, `transparent` or `extend`.
  let edge: String
  let linear: Bool
  let storage: PixelStorage

  func apply(to image: VipsImage) throws -> VipsImage {
    let growth = edge == "extend" ? Int((radius * 3).rounded(.up)) : 0
    let extent = try ResizingGeometry.checked(
      Double(image.width + 2 * growth), Double(image.height + 2 * growth))
    if radius < 0.05, growth == 0 { return image }
    if edge == "clamp" { return try mixing(image) }
    // Add a transparent margin as wide as the kernel reaches. It is cropped to the growth, 0 for `transparent`.
    let room = Int((radius * 4).rounded(.up)) + 1
    let margin = max(growth, room)
    let wide = try image.addingAlpha().embedded(
      x: margin, y: margin, width: image.width + 2 * margin, height: image.height + 2 * margin)
    return try mixing(wide).cropped(
      x: margin - growth, y: margin - growth, width: extent.width, height: extent.height)
  }

  private func mixing(_ image: VipsImage) throws -> VipsImage {
    if linear, radius >= 0.05, LinearLight.represents(image) {
      let light = try storage.keeping(LinearLight.decoded(image))
      return try LinearLight.encoded(inLinearLight.applied(to: light))
    }
    return try image.mixingPixels(linear: linear) { numbers in
      numbers.format == .uchar && radius >= 0.05
        ? try Gaussian(sigma: radius, storage: storage).applied(to: numbers)
        : try fractional(numbers, white: linear ? 1 : image.maximum, isDeep: image.format == .ushort)
    }
  }

  /// Blurs without rounding the result, unlike `apply(to:)`.
  /// - Parameters:
  ///   - white: The largest sample.
  ///   - isDeep: Whether the samples have more than 8 bits. If not, 16-bit fixed point is precise enough.
  /// - Returns: `float`, or the image itself if the radius is below 0.05.
  func fractional(_ image: VipsImage, white: Double, isDeep: Bool) throws -> VipsImage {
    if radius < 0.05 { return image }
    let blur = linear ? inLinearLight : Gaussian(sigma: radius, storage: storage)
    if image.format == .uchar { return try blur.applied(to: image, as: .ushort).linear([1.0 / 256], [0]) }
    guard !isDeep else { return try blur.applied(to: storage.keeping(image.cast(to: .float))) }
    let factor = 65_280 / white
    let fixed = try storage.keeping(image.linear([factor], [0.5]).cast(to: .ushort))
    return try blur.applied(to: fixed).linear([1 / factor], [0])
  }
  /// Linear light needs a longer kernel: a thousandth of white is visibly brighter than black.
  private var inLinearLight: Gaussian { Gaussian(sigma: radius, storage: storage, reach: 4) }
}
