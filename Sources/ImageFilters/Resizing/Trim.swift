import Vips

/// `trim`: removes a border of one color.
struct Trim {
  let pass: FilterPass

  init(_ pass: FilterPass) { self.pass = pass }

  func run() throws -> VipsImage {
    let image = pass.image
    let color =
      pass.arguments.has("background")
      ? pass.values(of: try pass.arguments.color("background"), bands: 4)
      : try VipsOperation("getpoint", ["in": .image(image), "x": 0, "y": 0]).doubles("out-array")
    // `find_trim` applies a 3 by 3 median to ignore specks. An image smaller than that needs a margin.
    let margin = min(image.width, image.height) < 3 ? 1 : 0
    var difference = try comparable(image, against: color)
    if margin > 0 {
      difference = try difference.embedded(
        x: margin, y: margin, width: image.width + 2 * margin, height: image.height + 2 * margin,
        extend: "copy")
    }
    let found = try VipsOperation(
      "find_trim",
      [
        "in": .image(difference),
        "threshold": .double(try pass.arguments.number("threshold") * image.maximum / 255),
        "background": .doubles([0]),
      ])
    let (left, top) = (max(0, try found.integer("left") - margin), max(0, try found.integer("top") - margin))
    let right = min(image.width, try found.integer("left") + found.integer("width") - margin)
    let bottom = min(image.height, try found.integer("top") + found.integer("height") - margin)
    // An image of one color is all border. Return it unchanged, since an image can't be empty.
    guard right > left, bottom > top else { return image }
    return try image.cropped(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// The largest difference of any band from the border color, in premultiplied values, so that all transparent
  /// pixels are equal.
  private func comparable(_ image: VipsImage, against color: [Double]) throws -> VipsImage {
    let values = Array((color + [image.maximum]).prefix(image.bands))
    func premultiplied(_ pixels: VipsImage) throws -> VipsImage {
      try pixels.hasAlpha ? pixels.applying("premultiply", ["max-alpha": .double(image.maximum)]) : pixels
    }
    let border = try premultiplied(image.filled(with: values))
    let difference = try premultiplied(image).combined("subtract", with: border).applying("abs")
    let bands = try (0..<difference.bands).map { try difference.extractingBands(from: $0, count: 1) }
    guard bands.count > 1 else { return difference }
    return try VipsOperation("bandrank", ["in": .images(bands), "index": .integer(bands.count - 1)]).image()
  }
}
