import Vips

/// What a blur takes away, added again.
struct Unsharp {
  /// Of the blur: the standard deviation in pixels.
  let radius: Double
  /// How much of it is added.
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
