import Vips

/// `crop`: a region of the image.
struct Crop {
  let pass: FilterPass

  init(_ pass: FilterPass) { self.pass = pass }

  func run() throws -> VipsImage {
    let area = try pass.arguments.area("area")
    let clip = try pass.arguments.boolean("clip")
    let image = pass.image
    guard let origin = area.origin else {
      var extent = area.extent
      if clip {
        extent = Size(width: min(extent.width, image.width), height: min(extent.height, image.height))
      }
      guard extent.width <= image.width, extent.height <= image.height else { throw outside(area) }
      return try Self.cropped(
        image, to: extent, gravity: pass.arguments.gravity("gravity"), storage: pass.context.storage)
    }
    var (left, top) = (origin.x, origin.y)
    var (right, bottom) = (origin.x + area.extent.width, origin.y + area.extent.height)
    if clip {
      (left, top) = (max(0, left), max(0, top))
      (right, bottom) = (min(image.width, right), min(image.height, bottom))
    }
    guard left >= 0, top >= 0, right <= image.width, bottom <= image.height, left < right, top < bottom else {
      throw outside(area)
    }
    return try image.cropped(x: left, y: top, width: right - left, height: bottom - top)
  }

  private func outside(_ area: CropArea) -> FilterError {
    FilterError(
      .failed,
      "crop: \(area.identifier) isn't inside the \(pass.image.width)x\(pass.image.height) image; "
        + "clip=true keeps the part that is")
  }

  /// Crops to the part that gravity selects. The image must be at least as large as `extent`.
  static func cropped(
    _ image: VipsImage, to extent: Size, gravity: Gravity, storage: PixelStorage
  ) throws -> VipsImage {
    if image.width == extent.width, image.height == extent.height { return image }
    switch gravity {
    case .attention, .entropy:
      // `smartcrop` reads the whole image before it crops. Without storing, every pixel would be computed twice.
      let stored = try storage.keeping(image)
      return try VipsOperation(
        "smartcrop",
        [
          "input": .image(stored), "width": .integer(extent.width), "height": .integer(extent.height),
          "interesting": .nick(gravity.identifier),
        ]
      ).image()
    case .place, .focus:
      let x = -gravity.origin(of: Double(image.width), along: Double(extent.width), axis: \.x)
      let y = -gravity.origin(of: Double(image.height), along: Double(extent.height), axis: \.y)
      return try image.cropped(
        x: min(image.width - extent.width, Int(x.rounded(.down))),
        y: min(image.height - extent.height, Int(y.rounded(.down))), width: extent.width,
        height: extent.height)
    }
  }
}
