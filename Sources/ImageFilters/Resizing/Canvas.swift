import Vips

/// A picture put on a canvas of one colour.
struct Canvas {
  let pass: FilterPass
  let background: Colour
  let extent: Extent

  /// The picture at whole pixels of the canvas, no part of it outside. It gains an alpha where the canvas
  /// shows through, and loses nothing under its own transparent parts.
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

  /// The picture, as large as the canvas already, over the canvas's colour.
  func under(_ image: VipsImage) throws -> VipsImage {
    guard background.alpha > 0, image.hasAlpha else { return image }
    let colour = pass.values(of: background, bands: image.bands)
    if background.alpha == 255 {
      return try image.rounding(
        image.applying(
          "flatten", ["background": .doubles(Array(colour.dropLast())), "max-alpha": .double(image.maximum)]))
    }
    let base = try image.filled(with: colour)
    return try VipsOperation(
      "composite2",
      [
        "base": .image(base), "overlay": .image(image), "mode": "over",
        "compositing-space": .nick(image.interpretation.rawValue),
      ]
    ).image()
  }
}
