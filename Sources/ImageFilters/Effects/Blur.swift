import Vips

/// A Gaussian blur with a say in what lies outside the picture.
struct Blur {
  /// The standard deviation in pixels.
  let radius: Double
  /// `clamp`, `transparent` or `extend`.
  let edge: String
  let linear: Bool

  func apply(to image: VipsImage) throws -> VipsImage {
    let growth = edge == "extend" ? Int((radius * 3).rounded(.up)) : 0
    let extent = try ResizingGeometry.checked(
      Double(image.width + 2 * growth), Double(image.height + 2 * growth))
    if radius < 0.05, growth == 0 { return image }
    if edge == "clamp" {
      // libvips' convolution repeats the outermost pixels.
      return try image.mixingPixels(linear: linear, gaussian)
    }
    // Beyond what the kernel reaches nothing is added: room for it on every side, cut off again for
    // `transparent`.
    let room = Int((radius * 4).rounded(.up)) + 1
    let margin = max(growth, room)
    let wide = try image.addingAlpha().embedded(
      x: margin, y: margin, width: image.width + 2 * margin, height: image.height + 2 * margin)
    let blurred = try wide.mixingPixels(linear: linear, gaussian)
    return try blurred.cropped(
      x: margin - growth, y: margin - growth, width: extent.width, height: extent.height)
  }

  func gaussian(_ image: VipsImage) throws -> VipsImage {
    if radius < 0.05 { return image }
    // Float precision, and a kernel cut where it is less than a thousandth.
    let wanted: VipsArguments = ["sigma": .double(radius), "min-ampl": 0.001, "precision": "float"]
    return try image.applying("gaussblur", wanted)
  }
}
