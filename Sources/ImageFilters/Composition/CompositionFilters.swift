import Vips

/// Filters that combine two images.
enum CompositionFilters {
  static let all = [overlay, text, mask, transition]

  private static let offset = -65_535...65_535
  private static let gravity = FilterParameter.optional(
    "gravity", .gravity, default: "centre", "where to place it")
  private static let x = FilterParameter.optional(
    "x", .integer(offset, unit: "px"), default: "0",
    "horizontal offset: inward from an edge, or to the right of the center")
  private static let y = FilterParameter.optional(
    "y", .integer(offset, unit: "px"), default: "0",
    "vertical offset: inward from an edge, or down from the center")
  private static let opacity = FilterParameter.optional(
    "opacity", .number(0...1), default: "1", "0 is transparent, 1 is opaque")

  static let overlay = FilterDefinition(
    "overlay", .composition, "place another image over this one",
    parameters: [
      .required("source", .source, "the image to place"), gravity, x, y, opacity,
      .optional("scale", .number(0.001...100), default: "1", "scale factor of the overlay"),
      .optional("tile", .boolean, default: "false", "repeat the overlay across the whole image"),
      .optional("blend", .choice(Layer.blends), default: "over", "blend mode"),
      .absent(
        "size", .percentage(0.1...1000),
        "width of the overlay relative to this image's width; scale has no effect then"),
    ], example: "overlay:logo:southeast:10:10:0.8",
    traits: FilterDefinition.FrameTraits(
      addsColor: true,
      keeps: { arguments, frame in
        let layer = frame.imageBytes(try arguments.text("source"))
        guard arguments.has("size") else {
          let scale = try arguments.number("scale")
          return layer * (1 + (scale == 1 ? 1 : scale * scale))
        }
        let size = frame.images[try arguments.text("source")] ?? frame.extent
        let width = Double(frame.extent.width) * (try arguments.percentage("size")) / 100
        return layer + width * (width / Double(size.width) * Double(size.height)) * 4
      })
  ) { pass in
    var overlay = try pass.context.source(pass.arguments.text("source"))
    // Use only the first frame of an animation.
    overlay = try overlay.cropped(x: 0, y: 0, width: overlay.width, height: overlay.pageHeight)
    var scale = try pass.arguments.number("scale")
    if pass.arguments.has("size") {
      scale = Double(pass.image.width) * (try pass.arguments.percentage("size")) / 100 / Double(overlay.width)
    }
    if scale != 1 {
      let extent = try ResizingGeometry.checked(Double(overlay.width) * scale, Double(overlay.height) * scale)
      overlay = try pass.context.storage.keeping(Resampler().resized(overlay, to: extent))
    }
    return try Layer(image: overlay, pass: pass, blend: pass.arguments.word("blend"))
      .composed(tiled: pass.arguments.boolean("tile"))
  }

  static let text = FilterDefinition(
    "text", .composition, "draw text over the image",
    parameters: [
      .required("string", .text, "the text to draw; write , : = % as %2C %3A %3D %25"),
      .optional(
        "font", .text, default: "sans", "font family and style (sans bold), or the path of a font file"),
      .optional("size", .number(1...2_000, unit: "px"), default: "32", "font size"),
      .optional("colour", .color, default: "black", "text color"),
      gravity, x, y, opacity,
      .absent(
        "width", .integer(1...65_535, unit: "px"), "width at which lines wrap (default: the image's width)"),
    ], example: "text:Hello:sans bold:24:white:south:0:10"
  ) { pass in
    try Layer(image: TextRenderer(pass).image(), pass: pass, blend: "over").composed(tiled: false)
  }

  static let mask = FilterDefinition(
    "mask", .composition, "make the image transparent where a mask is dark or transparent",
    parameters: [.required("source", .source, "the mask image, which is scaled to this image's size")],
    example: "mask:stencil",
    traits: FilterDefinition.FrameTraits(
      keepsColorSpace: true, addsAlpha: true,
      keeps: { arguments, frame in
        frame.imageBytes(try arguments.text("source")) + frame.bytes / Double(frame.bands)
      })
  ) { pass in
    var mask = try pass.context.source(pass.arguments.text("source"))
    mask = try mask.cropped(x: 0, y: 0, width: mask.width, height: mask.pageHeight)
    let fitted = try Resampler().resized(
      mask, to: Size(width: pass.image.width, height: pass.image.height))
    var coverage = try fitted.colors().weighed(Luma.rec709).linear([1 / fitted.maximum], [0])
    if let alpha = try fitted.alpha() {
      coverage = try coverage.combined("multiply", with: alpha.linear([1 / fitted.maximum], [0]))
    }
    coverage = try coverage.linear([255], [0.5]).cast(to: .uchar).copied(["interpretation": "b-w"])
    return try pass.image.multiplyingAlpha(byCoverage: pass.context.storage.keeping(coverage))
  }

  static let transition = FilterDefinition(
    "transition", .composition,
    "make an animation from another image to this one (the output format must hold animations)",
    parameters: [
      .required("from", .source, "the first image, scaled and cropped to this image's size"),
      .optional(
        "kind", .choice(Transition.Kind.allCases.map(\.rawValue)), default: "crossdissolve",
        "transition effect"),
      .optional("duration", .duration(1...60_000), default: "400ms", "total duration"),
      .optional("fps", .integer(1...60), default: "30", "frames per second"),
    ], example: "transition:before:crossdissolve:400ms:30",
    traits: FilterDefinition.FrameTraits(
      reading: .anywhere, makesFrames: true, addsAlpha: true, addsColor: true,
      keeps: { arguments, frame in
        frame.imageBytes(try arguments.text("from")) + 2 * frame.bytes / Double(frame.bands) * 4
      })
  ) { pass in
    let target = try pass.context.storage.keeping(pass.image.addingAlpha())
    let extent = Size(width: target.width, height: target.height)
    var first = try pass.context.source(pass.arguments.text("from"))
    first = try first.cropped(x: 0, y: 0, width: first.width, height: first.pageHeight)
    first = try Fill.filled(
      first, extent: Size(width: first.width, height: first.height), canvas: extent,
      gravity: .place(.centre),
      snap: true, resampler: Resampler(), storage: pass.context.storage
    ).addingAlpha()
    if first.format != target.format { first = try Layer.matching(first, target) }
    guard let kind = Transition.Kind(rawValue: try pass.arguments.word("kind")) else {
      throw FilterError(.badArgument, "unknown transition kind")
    }
    return try Transition(
      from: pass.context.storage.keeping(first), target: target, kind: kind,
      duration: pass.arguments.milliseconds("duration"),
      rate: pass.arguments.integer("fps")
    ).animation()
  }
}
