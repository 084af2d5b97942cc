import Vips

/// A canvas of one color on which an image is placed.
struct Canvas {
  let pass: FilterPass
  let background: Color
  let extent: Size

  /// Places an image at whole pixels; it must lie inside the canvas. The result has alpha if the canvas color has or,
  /// over a transparent canvas, if the image has.
  func holding(_ image: VipsImage, x: Int, y: Int) throws -> VipsImage {
    let isCovered = x == 0 && y == 0 && image.width == extent.width && image.height == extent.height
    let layer = background.alpha == 255 ? image : try image.addingAlpha()
    let placed =
      isCovered
      ? layer
      : try layer.embedded(
        x: x, y: y, width: extent.width, height: extent.height, extend: "background",
        background: pass.values(of: background, bands: layer.bands))
    guard layer.hasAlpha, background.alpha > 0 else { return placed }
    return try under(
      isCovered ? layer : layer.embedded(x: x, y: y, width: extent.width, height: extent.height))
  }

  /// Composes an image that is as large as the canvas over the canvas's color.
  func under(_ image: VipsImage) throws -> VipsImage {
    guard background.alpha > 0, image.hasAlpha else { return image }
    let color = pass.values(of: background, bands: image.bands)
    if background.alpha == 255 {
      return try image.rounding(
        image.applying(
          "flatten", ["background": .doubles(Array(color.dropLast())), "max-alpha": .double(image.maximum)]))
    }
    let base = try image.filled(with: color)
    return try VipsOperation(
      "composite2",
      [
        "base": .image(base), "overlay": .image(image), "mode": "over",
        "compositing-space": .nick(image.interpretation.rawValue),
      ]
    ).image()
  }
}
