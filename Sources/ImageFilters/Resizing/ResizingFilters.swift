import Vips

/// Filters that change an image's size.
enum ResizingFilters {
  static let all = [scale, fit, limit, pad, fill, crop, trim, extend]

  private static let size = FilterParameter.required("size", .size, "target size")
  private static let kernel = FilterParameter.optional(
    "kernel", .choice(Resampler.kernels), default: "lanczos3", "resampling kernel")
  private static let linear = FilterParameter.optional(
    "linear", .boolean, default: "false", "resample in linear light instead of sRGB values")
  private static let gravity = FilterParameter.optional(
    "gravity", .gravity, default: "centre", "part to keep")
  private static let position = FilterParameter.optional(
    "gravity", .gravity, default: "centre", "position of the image")
  private static let snap = FilterParameter.optional(
    "snap", .boolean, default: "true",
    "round to whole pixels; false keeps fractions and anti-aliases the edges")

  /// - Parameters:
  ///   - isCanvas: Whether the result has exactly the target size, regardless of the scaled image's size.
  ///   - scaledSize: The size to which the whole image is scaled.
  private static func traits(
    isCanvas: Bool = false, addsAlpha: Bool = false,
    _ scaledSize: @escaping @Sendable (SizeSpecification, Size) -> (width: Double, height: Double)
  ) -> FilterDefinition.FrameTraits {
    FilterDefinition.FrameTraits(
      reading: .overlapping, keepsColorSpace: true,
      size: { arguments, extent in
        let size = try arguments.size("size")
        return isCanvas ? size.resolved(for: extent) : scaledSize(size, extent)
      }, addsAlpha: addsAlpha,
      scaledSize: { arguments, extent in scaledSize(try arguments.size("size"), extent) })
  }

  private static func times(_ extent: Size, _ factor: Double) -> (width: Double, height: Double) {
    (Double(extent.width) * factor, Double(extent.height) * factor)
  }

  static let scale = FilterDefinition(
    "scale", .resizing, "resize to exactly this size, ignoring the aspect ratio",
    aliases: ["ScaledToSizeFilter", "imageScaled"],
    parameters: [size, kernel, linear], example: "scale:320x200",
    traits: traits { $0.resolved(for: $1) }
  ) { pass in
    let (width, height) = try pass.arguments.size("size").resolved(for: pass.extent)
    return try Resampler(pass).resized(
      pass.image, span: pass.span, to: ResizingGeometry.checked(width, height))
  }

  static let fit = FilterDefinition(
    "fit", .resizing, "resize to fit inside this size, keeping the aspect ratio",
    parameters: [size, kernel, linear], example: "fit:800x600",
    traits: traits { times($1, ResizingGeometry.fittingFactor($0, $1)) }
  ) { pass in
    let factor = ResizingGeometry.fittingFactor(try pass.arguments.size("size"), pass.extent)
    return try Resampler(pass)
      .resized(pass.image, span: pass.span, to: ResizingGeometry.scaled(pass.extent, by: factor))
  }

  static let limit = FilterDefinition(
    "limit", .resizing, "like fit, but never enlarge",
    parameters: [size, kernel, linear], example: "limit:1600x",
    traits: traits { times($1, min(1, ResizingGeometry.fittingFactor($0, $1))) }
  ) { pass in
    let factor = min(1, ResizingGeometry.fittingFactor(try pass.arguments.size("size"), pass.extent))
    return try Resampler(pass)
      .resized(pass.image, span: pass.span, to: ResizingGeometry.scaled(pass.extent, by: factor))
  }

  static let pad = FilterDefinition(
    "pad", .resizing, "like fit, then place on a canvas of exactly that size",
    aliases: [
      FilterDefinition.Alias(name: "AspectScaledToFitSizeFilter", presets: ["snap": "false"]),
      FilterDefinition.Alias(name: "imageAspectScaledToFit", presets: ["snap": "false"]),
    ],
    parameters: [
      size,
      .optional("background", .color, default: "transparent", "canvas color"),
      position, snap, kernel, linear,
    ], example: "pad:100x100:white",
    traits: traits(isCanvas: true, addsAlpha: true) { times($1, ResizingGeometry.fittingFactor($0, $1)) }
  ) { pass in try Pad(pass).run() }

  static let fill = FilterDefinition(
    "fill", .resizing, "resize to cover this size, keeping the aspect ratio, and crop the excess",
    aliases: [
      FilterDefinition.Alias(name: "AspectScaledToFillSizeFilter", presets: ["snap": "false"]),
      FilterDefinition.Alias(name: "imageAspectScaledToFill", presets: ["snap": "false"]),
    ],
    parameters: [size, gravity, snap, kernel, linear], example: "fill:100x100:north",
    traits: traits(isCanvas: true) { times($1, ResizingGeometry.coveringFactor($0, $1)) }
  ) { pass in try Fill(pass).run() }

  static let crop = FilterDefinition(
    "crop", .resizing, "keep a region of the image",
    parameters: [
      .required("area", .area, "region to keep: a size placed by gravity, or a size and an offset"),
      gravity,
      .optional(
        "clip", .boolean, default: "false", "clip a region that extends beyond the image, instead of failing"),
    ], example: "crop:120x80+20+10",
    traits: FilterDefinition.FrameTraits(
      movesPixels: true, keepsColorSpace: true,
      size: { arguments, _ in
        let extent = try arguments.area("area").extent
        return (Double(extent.width), Double(extent.height))
      }, keeps: { arguments, frame in try arguments.gravity("gravity").looksAtPixels ? frame.bytes : 0 })
  ) { pass in try Crop(pass).run() }

  static let trim = FilterDefinition(
    "trim", .resizing, "remove a border of one color",
    parameters: [
      .optional(
        "threshold", .number(0...255), default: "10", "maximum difference from the border color, per channel"),
      .absent("background", .color, "border color (default: the color of the top left pixel)"),
    ], example: "trim:20",
    traits: FilterDefinition.FrameTraits(reading: .anywhere, movesPixels: true)
  ) { pass in try Trim(pass).run() }

  static let extend = FilterDefinition(
    "extend", .resizing, "add a border",
    parameters: [
      .required("top", .integer(0...65_535, unit: "px"), "rows to add above"),
      .absent(
        "right", .integer(0...65_535, unit: "px"), "columns to add on the right (default: that of top)"),
      .absent("bottom", .integer(0...65_535, unit: "px"), "rows to add below (default: that of top)"),
      .absent(
        "left", .integer(0...65_535, unit: "px"), "columns to add on the left (default: that of right)"),
      .optional("background", .color, default: "transparent", "border color"),
      .optional(
        "mode", .choice(["colour", "mirror", "copy"]), default: "colour",
        "fill with the border color, the mirrored image or repeated edge pixels"),
    ], example: "extend:10:20:background=white",
    traits: FilterDefinition.FrameTraits(
      reading: .anywhere, movesPixels: true, keepsColorSpace: true,
      size: { arguments, extent in
        let margins = try Extend.margins(arguments)
        return (
          Double(extent.width + margins.left + margins.right),
          Double(extent.height + margins.top + margins.bottom)
        )
      }, addsAlpha: true)
  ) { pass in try Extend(pass).run() }
}
