import Vips

/// Filters that change a picture's size.
enum ResizingFilters {
  static let all = [scale, fit, limit, pad, fill, crop, trim, extend]

  private static let size = FilterParameter.required("size", .size, "the size wanted")
  private static let kernel = FilterParameter.optional(
    "kernel", .choice(Resampler.kernels), default: "lanczos3", "how pixels are weighed")
  private static let linear = FilterParameter.optional(
    "linear", .boolean, default: "false", "add light, not the numbers that stand for it")
  private static let gravity = FilterParameter.optional(
    "gravity", .gravity, default: "centre", "which part counts, or where it is put")
  private static let snap = FilterParameter.optional(
    "snap", .boolean, default: "true", "whole pixels; false keeps fractions, with anti-aliased edges")

  /// - Parameters:
  ///   - isCanvas: Whether the result has the size that is asked for, whatever the picture's own sides become.
  private static func traits(
    isCanvas: Bool = false, addsAlpha: Bool = false,
    _ scaledSize: @escaping @Sendable (PixelSize, Extent) -> (width: Double, height: Double)
  ) -> FilterDefinition.FrameTraits {
    FilterDefinition.FrameTraits(
      reading: .overlapping, keepsColourSpace: true,
      size: { arguments, extent in
        let size = try arguments.size("size")
        return isCanvas ? size.resolved(for: extent) : scaledSize(size, extent)
      }, addsAlpha: addsAlpha,
      scaledSize: { arguments, extent in scaledSize(try arguments.size("size"), extent) })
  }

  private static func times(_ extent: Extent, _ factor: Double) -> (width: Double, height: Double) {
    (Double(extent.width) * factor, Double(extent.height) * factor)
  }

  static let scale = FilterDefinition(
    "scale", .resizing, "exactly the size, aspect disregarded",
    aliases: ["ScaledToSizeFilter", "imageScaled"],
    parameters: [size, kernel, linear], example: "scale:320x200",
    traits: traits { $0.resolved(for: $1) }
  ) { pass in
    let (width, height) = try pass.arguments.size("size").resolved(for: pass.extent)
    return try Resampler(pass).resized(
      pass.image, span: pass.span, to: ResizingGeometry.checked(width, height))
  }

  static let fit = FilterDefinition(
    "fit", .resizing, "as large as fits inside the size, aspect kept, no padding",
    parameters: [size, kernel, linear], example: "fit:800x600",
    traits: traits { times($1, ResizingGeometry.fittingFactor($0, $1)) }
  ) { pass in
    let factor = ResizingGeometry.fittingFactor(try pass.arguments.size("size"), pass.extent)
    return try Resampler(pass)
      .resized(pass.image, span: pass.span, to: ResizingGeometry.scaled(pass.extent, by: factor))
  }

  static let limit = FilterDefinition(
    "limit", .resizing, "as fit, never enlarged",
    parameters: [size, kernel, linear], example: "limit:1600x",
    traits: traits { times($1, min(1, ResizingGeometry.fittingFactor($0, $1))) }
  ) { pass in
    let factor = min(1, ResizingGeometry.fittingFactor(try pass.arguments.size("size"), pass.extent))
    return try Resampler(pass)
      .resized(pass.image, span: pass.span, to: ResizingGeometry.scaled(pass.extent, by: factor))
  }

  static let pad = FilterDefinition(
    "pad", .resizing, "as fit, then placed on a canvas of exactly the size",
    aliases: [
      FilterDefinition.Alias(name: "AspectScaledToFitSizeFilter", presets: ["snap": "false"]),
      FilterDefinition.Alias(name: "imageAspectScaledToFit", presets: ["snap": "false"]),
    ],
    parameters: [
      size,
      .optional("background", .colour, default: "transparent", "what the canvas is made of"),
      gravity, snap, kernel, linear,
    ], example: "pad:100x100:white",
    traits: traits(isCanvas: true, addsAlpha: true) { times($1, ResizingGeometry.fittingFactor($0, $1)) }
  ) { pass in try Padding(pass).run() }

  static let fill = FilterDefinition(
    "fill", .resizing, "covers the size, aspect kept, what falls outside is cut off",
    aliases: [
      FilterDefinition.Alias(name: "AspectScaledToFillSizeFilter", presets: ["snap": "false"]),
      FilterDefinition.Alias(name: "imageAspectScaledToFill", presets: ["snap": "false"]),
    ],
    parameters: [size, gravity, snap, kernel, linear], example: "fill:100x100:north",
    traits: traits(isCanvas: true) { times($1, ResizingGeometry.coveringFactor($0, $1)) }
  ) { pass in try Filling(pass).run() }

  static let crop = FilterDefinition(
    "crop", .resizing, "that region of the picture",
    parameters: [
      .required("area", .area, "the region: a size that gravity places, or a size and a place"),
      gravity,
      .optional("clip", .boolean, default: "false", "cut the region down to the picture instead of failing"),
    ], example: "crop:120x80+20+10",
    traits: FilterDefinition.FrameTraits(
      movesPixels: true, keepsColourSpace: true,
      size: { arguments, _ in
        let extent = try arguments.area("area").extent
        return (Double(extent.width), Double(extent.height))
      }, keeps: { arguments, frame in try arguments.gravity("gravity").looksAtPixels ? frame.bytes : 0 })
  ) { pass in try Cropping(pass).run() }

  static let trim = FilterDefinition(
    "trim", .resizing, "a border of one colour removed",
    parameters: [
      .optional("threshold", .number(0...255), default: "10", "how far a colour may be from the border's"),
      .absent("background", .colour, "the border's colour; the first pixel's unless given"),
    ], example: "trim:20",
    traits: FilterDefinition.FrameTraits(reading: .anywhere, movesPixels: true)
  ) { pass in try Trimming(pass).run() }

  static let extend = FilterDefinition(
    "extend", .resizing, "a border added",
    parameters: [
      .required("top", .integer(0...65_535, unit: "px"), "rows above"),
      .absent("right", .integer(0...65_535, unit: "px"), "columns to the right; as top unless given"),
      .absent("bottom", .integer(0...65_535, unit: "px"), "rows below; as top unless given"),
      .absent("left", .integer(0...65_535, unit: "px"), "columns to the left; as right unless given"),
      .optional("background", .colour, default: "transparent", "what the border is made of"),
      .optional(
        "mode", .choice(["colour", "mirror", "copy"]), default: "colour",
        "a colour, or the picture's own edge"),
    ], example: "extend:10:20:background=white",
    traits: FilterDefinition.FrameTraits(
      reading: .anywhere, movesPixels: true, keepsColourSpace: true,
      size: { arguments, extent in
        let margins = try Extending.margins(arguments)
        return (
          Double(extent.width + margins.left + margins.right),
          Double(extent.height + margins.top + margins.bottom)
        )
      }, addsAlpha: true)
  ) { pass in try Extending(pass).run() }
}
