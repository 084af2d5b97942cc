import Vips

/// Gives a picture other sides, exactly, without moving it: the middle of the picture stays the middle.
struct Resampler {
  /// libvips' nickname of the kernel.
  let kernel: String
  /// Whether light is added rather than the numbers that stand for it.
  let linear: Bool

  /// How many old pixels for a new one are left to the kernel at least; whole factors beyond that are averaged.
  ///
  /// At 1.5 AlamofireImage's reference pictures are met best. A decoder that has made the image smaller has averaged
  /// already, and leaves factors of 2 to 4: averaging once more would show beside libvips' own `thumbnail`.
  private let gap: Double

  /// The words that a chain may use for kernels.
  static let kernels = ["lanczos3", "lanczos2", "mitchell", "cubic", "linear", "nearest"]

  init(kernel: String = "lanczos3", linear: Bool = false) {
    self.kernel = kernel
    self.linear = linear
    gap = 1.5
  }

  /// The resampler that a filter's arguments ask for.
  init(_ pass: FilterPass) throws(FilterError) {
    kernel = try pass.arguments.word("kernel")
    linear = try pass.arguments.boolean("linear")
    gap = pass.isShrunk ? 2 : 1.5
  }

  /// The whole picture with other sides.
  /// - Parameter span: How much of the image is picture, from its left and top edge; all of it unless given.
  func resized(_ image: VipsImage, span: Span? = nil, to extent: Extent) throws -> VipsImage {
    let picture = span ?? Span(image)
    if let reduced = try reduced(
      image, across: (Double(extent.width) / picture.width, 0),
      down: (Double(extent.height) / picture.height, 0),
      canvas: extent)
    {
      return reduced
    }
    if let span, span != Span(image) {
      // The decoder filled its last column and row up: they must not press the others together.
      return try placed(
        image, across: Double(extent.width) / span.width, down: Double(extent.height) / span.height, x: 0,
        y: 0,
        canvas: extent)
    }
    if image.width == extent.width, image.height == extent.height { return image }
    if kernel == "nearest" {
      let across = Double(extent.width) / Double(image.width)
      let down = Double(extent.height) / Double(image.height)
      return try nearest(image, across: across, down: down, x: 0, y: 0, canvas: extent)
    }
    return try image.mixingPixels(linear: linear) { try resample($0, to: extent) }
  }

  /// Both axes made smaller, or one of them and the other left as it is, where ``Reduction`` can do it.
  private func reduced(
    _ image: VipsImage, across: (factor: Double, origin: Double), down: (factor: Double, origin: Double),
    canvas: Extent
  ) throws(VipsError) -> VipsImage? {
    guard !linear else { return nil }
    return try Reduction(image, kernel: kernel, gap: gap, across: across, down: down, canvas: canvas)?
      .run(image)
  }

  private func resample(_ image: VipsImage, to extent: Extent) throws -> VipsImage {
    let across = Double(extent.width) / Double(image.width)
    let down = Double(extent.height) / Double(image.height)
    var result = image
    if across < 1 || down < 1 {
      result = try result.applying(
        "resize",
        [
          "scale": .double(min(1, across)), "vscale": .double(min(1, down)), "kernel": .nick(kernel),
          "gap": .double(gap),
        ])
    }
    if across > 1 || down > 1 {
      result = try enlarged(
        result, across: max(1, across), down: max(1, down), x: 0, y: 0, canvas: extent,
        interpolator: interpolator)
    }
    return result
  }

  /// libvips' interpolator for the kernel: it has none wider than four pixels.
  private var interpolator: String {
    switch kernel {
    case "linear": "bilinear"
    case "mitchell": "vsqbs"
    default: "bicubic"
    }
  }

  /// libvips' own enlarging moves a picture by half a pixel right and down, on purpose; these offsets don't.
  private func enlarged(
    _ image: VipsImage, across: Double, down: Double, x: Double, y: Double, canvas: Extent,
    interpolator: String
  ) throws -> VipsImage {
    try image.applying(
      "affine",
      [
        "matrix": .doubles([across, 0, 0, down]), "interpolate": .interpolator(interpolator),
        "idx": 0.5, "idy": 0.5, "odx": .double(x - 0.5), "ody": .double(y - 0.5),
        "oarea": .integers([0, 0, canvas.width, canvas.height]), "extend": "copy",
        // It would premultiply again otherwise: mixingPixels has done so.
        "premultiplied": true,
      ])
  }

  /// Each new pixel is the one that its middle falls upon.
  private func nearest(
    _ image: VipsImage, across: Double, down: Double, x: Double, y: Double, canvas: Extent
  ) throws -> VipsImage {
    // A middle between two pixels must fall upon the same one in every frame. libvips adds the steps up from where a
    // region begins, so that rounding errors would decide.
    let tie = 1e-6
    return try image.applying(
      "affine",
      [
        "matrix": .doubles([across, 0, 0, down]), "interpolate": .interpolator("nearest"),
        "odx": .double(x - 0.5 - tie * across), "ody": .double(y - 0.5 - tie * down),
        "oarea": .integers([0, 0, canvas.width, canvas.height]), "extend": "copy",
      ])
  }

  /// The picture scaled and put at a fractional place of a canvas. Where the canvas is larger, the picture's
  /// outermost pixels go on to the canvas's edge.
  /// - Parameters:
  ///   - across: The factor of the width. Sides need not come out whole.
  ///   - x: Where its left edge comes to lie, in pixels of the canvas.
  func placed(
    _ image: VipsImage, across: Double, down: Double, x: Double, y: Double, canvas: Extent
  ) throws -> VipsImage {
    if kernel == "nearest" {
      return try nearest(image, across: across, down: down, x: x, y: y, canvas: canvas)
    }
    if let reduced = try reduced(image, across: (across, x), down: (down, y), canvas: canvas) {
      return reduced
    }
    return try image.mixingPixels(linear: linear) { image in
      let rows = try placedAlong(image, .vertical, factor: down, origin: y, length: canvas.height)
      return try placedAlong(rows, .horizontal, factor: across, origin: x, length: canvas.width)
    }
  }

  private enum Axis { case horizontal, vertical }

  private func placedAlong(
    _ image: VipsImage, _ axis: Axis, factor: Double, origin: Double, length: Int
  ) throws -> VipsImage {
    let side = axis == .horizontal ? image.width : image.height
    let isWhole = abs(origin - origin.rounded()) < 1e-6
    if abs(factor - 1) < 1e-9, isWhole {
      return try window(of: image, axis, start: -Int(origin.rounded()), length: length)
    }
    if factor >= 1 - 1e-9 {
      let canvas = Extent(
        width: axis == .horizontal ? length : image.width, height: axis == .vertical ? length : image.height)
      // Nothing is enlarged by a mere shift, and a wider kernel would only ring.
      let shifts = abs(factor - 1) < 1e-9
      return try enlarged(
        image, across: axis == .horizontal ? factor : 1, down: axis == .vertical ? factor : 1,
        x: axis == .horizontal ? origin : 0, y: axis == .vertical ? origin : 0, canvas: canvas,
        interpolator: shifts ? "bilinear" : interpolator)
    }
    // Whole factors by averaging, as libvips' own resize does, while half as much again is left to the kernel.
    let block = max(1, Int(1 / factor / gap))
    let margins = Margins(side: side, factor: factor, origin: origin, length: length, block: block)
    let padded = try window(
      of: image, axis, start: -margins.before, length: side + margins.before + margins.after)
    let shrink = VipsValue.double(1 / (factor * Double(block)))
    var reduced = padded
    switch axis {
    case .horizontal:
      if block > 1 { reduced = try reduced.applying("shrinkh", ["hshrink": .integer(block)]) }
      reduced = try reduced.applying("reduceh", ["hshrink": shrink, "kernel": .nick(kernel)])
    case .vertical:
      if block > 1 { reduced = try reduced.applying("shrinkv", ["vshrink": .integer(block)]) }
      reduced = try reduced.applying("reducev", ["vshrink": shrink, "kernel": .nick(kernel)])
    }
    let start = Int(margins.start.rounded())
    let remainder = margins.start - margins.start.rounded()
    guard abs(remainder) > 1.0 / 64 else {
      return try window(of: reduced, axis, start: start, length: length)
    }
    return try placedAlong(reduced, axis, factor: 1, origin: -margins.start, length: length)
  }

  /// A stretch of the picture along one axis, its outermost pixels repeated where it lies outside.
  private func window(of image: VipsImage, _ axis: Axis, start: Int, length: Int) throws -> VipsImage {
    let side = axis == .horizontal ? image.width : image.height
    if start == 0, length == side { return image }
    let inside = start >= 0 && start + length <= side
    switch axis {
    case .horizontal:
      return inside
        ? try image.cropped(x: start, y: 0, width: length, height: image.height)
        : try image.embedded(x: -start, y: 0, width: length, height: image.height, extend: "copy")
    case .vertical:
      return inside
        ? try image.cropped(x: 0, y: start, width: image.width, height: length)
        : try image.embedded(x: 0, y: -start, width: image.width, height: length, extend: "copy")
    }
  }
}

/// How far a line of pixels is prolonged before libvips reduces it, so that the result falls on the canvas's
/// pixels: libvips lays the middle of the output on the middle of the input and has no say in it.
struct Margins {
  /// Pixels repeated before the first.
  let before: Int
  /// Pixels repeated after the last.
  let after: Int
  /// Where the canvas begins in the reduced line; whole, or as near to it as margins can bring it.
  let start: Double

  /// - Parameter block: What the prolonged line's length must be a multiple of.
  init(side: Int, factor: Double, origin: Double, length: Int, block: Int = 1) {
    let scaled = Double(side) * factor
    let least = max(0, Int((origin / factor).rounded(.up))) + 2
    let most = max(0, Int(((Double(length) - scaled - origin) / factor).rounded(.up))) + 2
    var best = (before: least, after: most, start: 0.0, error: Double.infinity)
    for more in 0..<max(12, block) {
      for further in 0..<max(12, 3 * block) {
        let (before, after) = (least + more, most + further)
        guard (side + before + after) % block == 0 else { continue }
        let total = Double(side + before + after)
        let reduced = (total * factor).rounded(.toNearestOrAwayFromZero)
        let start = (Double(before) - total / 2) * factor + reduced / 2 - origin
        let error = abs(start - start.rounded())
        if error < best.error - 1e-9, start > -0.5, start.rounded() + Double(length) <= reduced {
          best = (before, after, start, error)
        }
      }
    }
    (before, after, start) = (best.before, best.after, best.start)
  }
}

/// How much of an image is picture, in its own pixels: fractions where a decoder shrank it and filled the last
/// column and row up.
struct Span: Hashable {
  let width: Double
  let height: Double

  init(_ image: VipsImage) {
    width = Double(image.width)
    height = Double(image.height)
  }

  /// An extent times a factor.
  init(_ extent: Extent, times factor: Double) {
    width = Double(extent.width) * factor
    height = Double(extent.height) * factor
  }
}
