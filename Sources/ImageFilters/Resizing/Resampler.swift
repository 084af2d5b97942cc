import Vips

/// Resizes an image to exact sides without shifting it: the image's center stays at the center.
struct Resampler {
  /// The kernel's libvips nickname.
  let kernel: String
  /// Whether to resample in linear light instead of sRGB values.
  let linear: Bool

  /// The smallest factor left to the kernel when blocks of pixels are averaged first (libvips' reducing gap).
  ///
  /// 1.5 matches AlamofireImage's reference images best. For a frame that a JPEG decoder has shrunk, or would shrink at
  /// a smaller factor, it is 2 as in libvips' `thumbnail`: the decoder averages blocks and leaves factors of 2 to 4, so
  /// averaging again would differ visibly, and the result would depend on whether the decoder shrank it.
  private let gap: Double

  /// The kernels that a chain may use.
  static let kernels = ["lanczos3", "lanczos2", "mitchell", "cubic", "linear", "nearest"]

  init(kernel: String = "lanczos3", linear: Bool = false) {
    self.kernel = kernel
    self.linear = linear
    gap = 1.5
  }

  /// Creates a resampler from a filter's arguments.
  init(_ pass: FilterPass) throws(FilterError) {
    kernel = try pass.arguments.word("kernel")
    linear = try pass.arguments.boolean("linear")
    gap = pass.isAveragedByDecoder ? 2 : 1.5
  }

  /// Resizes the whole image.
  /// - Parameters:
  ///   - span: The part of the image that has content, from its top left corner (default: all of it).
  ///   - extent: The target size in pixels.
  func resized(_ image: VipsImage, span: SampledSize? = nil, to extent: Size) throws -> VipsImage {
    let sampled = span ?? SampledSize(image)
    if let reduced = try reduced(
      image, across: (Double(extent.width) / sampled.width, 0),
      down: (Double(extent.height) / sampled.height, 0),
      canvas: extent)
    {
      return reduced
    }
    if let span, span != SampledSize(image) {
      // The decoder padded the last column and row. Scaling them as full pixels would compress the others.
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

  /// Resizes with ``Reduction``, or returns nil if it can't.
  private func reduced(
    _ image: VipsImage, across: (factor: Double, origin: Double), down: (factor: Double, origin: Double),
    canvas: Size
  ) throws(VipsError) -> VipsImage? {
    guard !linear else { return nil }
    return try Reduction(image, kernel: kernel, gap: gap, across: across, down: down, canvas: canvas)?
      .run(image)
  }

  private func resample(_ image: VipsImage, to extent: Size) throws -> VipsImage {
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

  /// The libvips interpolator closest to the kernel. None is wider than four pixels.
  private var interpolator: String {
    switch kernel {
    case "linear": "bilinear"
    case "mitchell": "vsqbs"
    default: "bicubic"
    }
  }

  /// Enlarges with offsets that keep the center. libvips' `resize` deliberately shifts by half a pixel right and down.
  private func enlarged(
    _ image: VipsImage, across: Double, down: Double, x: Double, y: Double, canvas: Size,
    interpolator: String
  ) throws -> VipsImage {
    try image.applying(
      "affine",
      [
        "matrix": .doubles([across, 0, 0, down]), "interpolate": .interpolator(interpolator),
        "idx": 0.5, "idy": 0.5, "odx": .double(x - 0.5), "ody": .double(y - 0.5),
        "oarea": .integers([0, 0, canvas.width, canvas.height]), "extend": "copy",
        // `mixingPixels` has premultiplied already; without this, `affine` would do it again.
        "premultiplied": true,
      ])
  }

  /// Copies each output pixel from the input pixel at its center.
  private func nearest(
    _ image: VipsImage, across: Double, down: Double, x: Double, y: Double, canvas: Size
  ) throws -> VipsImage {
    // A center between two pixels must select the same one in every frame. libvips accumulates steps from the start of
    // a region, so without this offset rounding errors would decide.
    let tie = 1e-6
    return try image.applying(
      "affine",
      [
        "matrix": .doubles([across, 0, 0, down]), "interpolate": .interpolator("nearest"),
        "odx": .double(x - 0.5 - tie * across), "ody": .double(y - 0.5 - tie * down),
        "oarea": .integers([0, 0, canvas.width, canvas.height]), "extend": "copy",
      ])
  }

  /// Scales the image and places it at a fractional position of a canvas. If the canvas is larger, the image's edge
  /// pixels are repeated up to the canvas's edge.
  /// - Parameters:
  ///   - across: The factor of the width; the scaled width may be fractional.
  ///   - down: The factor of the height.
  ///   - x: The position of the left edge in pixels of the canvas.
  ///   - y: The position of the top edge in pixels of the canvas.
  func placed(
    _ image: VipsImage, across: Double, down: Double, x: Double, y: Double, canvas: Size
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
      let canvas = Size(
        width: axis == .horizontal ? length : image.width, height: axis == .vertical ? length : image.height)
      // A shift alone doesn't enlarge, so a wider kernel would only add ringing.
      let shifts = abs(factor - 1) < 1e-9
      return try enlarged(
        image, across: axis == .horizontal ? factor : 1, down: axis == .vertical ? factor : 1,
        x: axis == .horizontal ? origin : 0, y: axis == .vertical ? origin : 0, canvas: canvas,
        interpolator: shifts ? "bilinear" : interpolator)
    }
    // Average whole blocks first, as libvips' `resize` does, leaving at least `gap` to the kernel.
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

  /// A range of the image along one axis. Beyond the image, edge pixels are repeated.
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

/// The margins to add to a line of pixels before libvips reduces it, so that the result aligns with the canvas.
///
/// libvips always aligns the centers of input and output and has no option to change that.
struct Margins {
  /// The number of times the first pixel is repeated before it.
  let before: Int
  /// The number of times the last pixel is repeated after it.
  let after: Int
  /// The start of the canvas in the reduced line: a whole number, or as close to one as margins allow.
  let start: Double

  /// Searches for the best margins.
  /// - Parameters:
  ///   - side: The line's length in pixels.
  ///   - factor: The scale factor, less than 1.
  ///   - origin: The start of the scaled line in pixels of the canvas.
  ///   - length: The canvas's length in pixels.
  ///   - block: The padded line's length must be a multiple of this.
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

/// The size of an image's content in its pixels. It is fractional if a decoder shrank the image and padded the last
/// column and row.
struct SampledSize: Hashable {
  let width: Double
  let height: Double

  init(_ image: VipsImage) {
    width = Double(image.width)
    height = Double(image.height)
  }

  /// The size of an extent multiplied by a factor.
  init(_ extent: Size, times factor: Double) {
    width = Double(extent.width) * factor
    height = Double(extent.height) * factor
  }
}
