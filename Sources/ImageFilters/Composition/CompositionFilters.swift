import Vips

/// Filters that put two pictures together.
enum CompositionFilters {
  static let all = [overlay, text, mask, transition]

  private static let offset = -65_535...65_535
  private static let gravity = FilterParameter.optional(
    "gravity", .gravity, default: "centre", "where it is put")
  private static let x = FilterParameter.optional(
    "x", .integer(offset, unit: "px"), default: "0", "inwards from an edge, or to the right of the centre")
  private static let y = FilterParameter.optional(
    "y", .integer(offset, unit: "px"), default: "0", "inwards from an edge, or below the centre")
  private static let opacity = FilterParameter.optional(
    "opacity", .number(0...1), default: "1", "0 is nothing, 1 all of it")

  static let overlay = FilterDefinition(
    "overlay", .composition, "another picture laid over this one",
    parameters: [
      .required("source", .source, "which picture"), gravity, x, y, opacity,
      .optional("scale", .number(0.001...100), default: "1", "of its own size"),
      .optional("tile", .boolean, default: "false", "repeated all over, from where it is put"),
      .optional("blend", .choice(Layer.blends), default: "over", "how colours mix"),
    ], example: "overlay:logo:southeast:10:10:0.8",
    traits: FilterDefinition.FrameTraits(
      addsColour: true,
      keeps: { arguments, frame in
        let layer = frame.pictureBytes(try arguments.text("source"))
        let scale = try arguments.number("scale")
        return layer * (1 + (scale == 1 ? 1 : scale * scale))
      })
  ) { pass in
    var picture = try pass.context.source(pass.arguments.text("source"))
    // Of an animation the first frame is taken.
    picture = try picture.cropped(x: 0, y: 0, width: picture.width, height: picture.pageHeight)
    let scale = try pass.arguments.number("scale")
    if scale != 1 {
      let extent = try ResizingGeometry.checked(Double(picture.width) * scale, Double(picture.height) * scale)
      picture = try pass.context.storage.keeping(Resampler().resized(picture, to: extent))
    }
    return try Layer(picture: picture, pass: pass, blend: pass.arguments.word("blend"))
      .composed(tiled: pass.arguments.boolean("tile"))
  }

  static let text = FilterDefinition(
    "text", .composition, "words written over the picture",
    parameters: [
      .required("string", .text, "the words; %2C %3A %3D %25 stand for , : = %"),
      .optional("font", .text, default: "sans", "a family with its style (sans bold), or a font file's path"),
      .optional("size", .number(1...2_000, unit: "px"), default: "32", "of the letters"),
      .optional("colour", .colour, default: "black", "of the letters"),
      gravity, x, y, opacity,
      .absent(
        "width", .integer(1...65_535, unit: "px"), "where lines are broken; the picture's width unless given"),
    ], example: "text:Hello:sans bold:24:white:south:0:10"
  ) { pass in
    try Layer(picture: Lettering(pass).picture(), pass: pass, blend: "over").composed(tiled: false)
  }

  static let mask = FilterDefinition(
    "mask", .composition, "transparent where another picture is dark or transparent",
    parameters: [.required("source", .source, "which picture; it is scaled to this one's size")],
    example: "mask:stencil",
    traits: FilterDefinition.FrameTraits(
      keepsColourSpace: true, addsAlpha: true,
      keeps: { arguments, frame in
        frame.pictureBytes(try arguments.text("source")) + frame.bytes / Double(frame.bands)
      })
  ) { pass in
    var picture = try pass.context.source(pass.arguments.text("source"))
    picture = try picture.cropped(x: 0, y: 0, width: picture.width, height: picture.pageHeight)
    let fitted = try Resampler().resized(
      picture, to: Extent(width: pass.image.width, height: pass.image.height))
    var coverage = try fitted.colours().weighed(Luma.rec709).linear([1 / fitted.maximum], [0])
    if let alpha = try fitted.alpha() {
      coverage = try coverage.combined("multiply", with: alpha.linear([1 / fitted.maximum], [0]))
    }
    coverage = try coverage.linear([255], [0.5]).cast(to: .uchar).copied(["interpretation": "b-w"])
    return try pass.image.multiplyingAlpha(byCoverage: pass.context.storage.keeping(coverage))
  }

  static let transition = FilterDefinition(
    "transition", .composition, "an animation from another picture to this one, for formats that hold frames",
    parameters: [
      .required("from", .source, "the picture at the beginning; it fills this one's size"),
      .optional(
        "kind", .choice(Transition.Kind.allCases.map(\.rawValue)), default: "crossdissolve",
        "how the one becomes the other"),
      .optional("duration", .duration(1...60_000), default: "400", "of the whole"),
      .optional("fps", .integer(1...60), default: "30", "frames in a second"),
    ], example: "transition:before:crossdissolve:400ms:30",
    traits: FilterDefinition.FrameTraits(
      reading: .anywhere, makesFrames: true, addsAlpha: true, addsColour: true,
      keeps: { arguments, frame in
        frame.pictureBytes(try arguments.text("from")) + 2 * frame.bytes / Double(frame.bands) * 4
      })
  ) { pass in
    let target = try pass.context.storage.keeping(pass.image.addingAlpha())
    let extent = Extent(width: target.width, height: target.height)
    var first = try pass.context.source(pass.arguments.text("from"))
    first = try first.cropped(x: 0, y: 0, width: first.width, height: first.pageHeight)
    first = try Filling.filled(
      first, extent: Extent(width: first.width, height: first.height), canvas: extent,
      gravity: .place(.centre),
      snap: true, resampler: Resampler(), storage: pass.context.storage
    ).addingAlpha()
    if first.format != target.format { first = try Layer.matching(first, target) }
    guard let kind = Transition.Kind(rawValue: try pass.arguments.word("kind")) else {
      throw FilterError(.badArgument, "transition has no such kind")
    }
    return try Transition(
      from: pass.context.storage.keeping(first), target: target, kind: kind,
      duration: pass.arguments.integer("duration"),
      rate: pass.arguments.integer("fps")
    ).animation()
  }
}
