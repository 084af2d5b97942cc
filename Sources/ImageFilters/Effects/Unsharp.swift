import Vips

/// An unsharp mask: adds back the difference between the image and its blur.
struct Unsharp {
  /// The standard deviation of the blur in pixels.
  let radius: Double
  /// The factor of the difference that is added.
  let intensity: Double

  func apply(_ pass: FilterPass) throws -> VipsImage {
    let image = pass.image
    let blur = Blur(radius: radius, edge: "clamp", linear: false, storage: pass.context.storage)
    return try image.mixingPixels { numbers in
      let soft = try blur.fractional(numbers, white: image.maximum, isDeep: image.format == .ushort)
      let sharp = try numbers.linear([1 + intensity], [0]).combined(
        "subtract", with: soft.linear([intensity], [0]))
      return try sharp.keepingAlpha(of: numbers, image.hasAlpha)
    }
  }
}
