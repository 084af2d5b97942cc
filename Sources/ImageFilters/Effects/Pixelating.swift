import Vips

/// Squares of one colour.
struct Pixelating {
  let size: Int
  /// Where a square's corner lies, from the picture's.
  let originX: Int
  let originY: Int

  func apply(_ pass: FilterPass) throws -> VipsImage {
    let image = pass.image
    if size == 1 { return image }
    let left = (size - originX % size) % size
    let top = (size - originY % size) % size
    return try image.mixingPixels { picture in
      let columns = (left + image.width + size - 1) / size
      let rows = (top + image.height + size - 1) / size
      // Squares over the edge go on with the edge's colour.
      let whole = try picture.embedded(
        x: left, y: top, width: columns * size, height: rows * size, extend: "copy")
      // A square is asked for by every tile that it reaches into.
      let means = try pass.context.storage.keeping(
        whole.computedInBands().applying("shrink", ["hshrink": .integer(size), "vshrink": .integer(size)]))
      return try VipsOperation(
        "zoom", ["input": .image(means), "xfac": .integer(size), "yfac": .integer(size)]
      ).image().cropped(x: left, y: top, width: image.width, height: image.height)
    }
  }
}
