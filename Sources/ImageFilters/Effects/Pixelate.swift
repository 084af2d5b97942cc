import Vips

/// Replaces squares of pixels by their mean color.
struct Pixelate {
  let size: Int
  /// The position of any square's corner in the image.
  let originX: Int
  let originY: Int

  func apply(_ pass: FilterPass) throws -> VipsImage {
    let image = pass.image
    if size == 1 { return image }
    let left = (size - originX % size) % size
    let top = (size - originY % size) % size
    return try image.mixingPixels { pixels in
      let columns = (left + image.width + size - 1) / size
      let rows = (top + image.height + size - 1) / size
      // Fill squares that overlap the edge with the edge's color.
      let whole = try pixels.embedded(
        x: left, y: top, width: columns * size, height: rows * size, extend: "copy")
      // Store the means, because every tile that overlaps a square reads it again.
      let means = try pass.context.storage.keeping(
        whole.computedInBands().applying("shrink", ["hshrink": .integer(size), "vshrink": .integer(size)]))
      return try VipsOperation(
        "zoom", ["input": .image(means), "xfac": .integer(size), "yfac": .integer(size)]
      ).image().cropped(x: left, y: top, width: image.width, height: image.height)
    }
  }
}
