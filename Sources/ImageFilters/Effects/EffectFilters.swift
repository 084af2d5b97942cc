import Vips

/// Filters that mix neighboring pixels.
enum EffectFilters {
  static let all = [blur, boxBlur, median, sharpen, unsharp, pixelate, vignette, edges]

  private static let mixing = FilterDefinition.FrameTraits(reading: .anywhere)
  private static let linear = FilterParameter.optional(
    "linear", .boolean, default: "false", "blur in linear light instead of sRGB values")

  static let blur = FilterDefinition(
    "blur", .effects, "Gaussian blur",
    aliases: [FilterDefinition.Alias(name: "BlurFilter", presets: ["edge": "extend", "linear": "true"])],
    parameters: [
      .optional("radius", .number(0...1_000, unit: "px"), default: "10", "standard deviation"),
      .optional(
        "edge", .choice(["clamp", "transparent", "extend"]), default: "clamp",
        "pixels beyond the image: clamp repeats the edge pixels; transparent makes them transparent; extend also makes them transparent, and grows the canvas by 3 radii on each side"
      ),
      linear,
    ], example: "blur:4",
    traits: FilterDefinition.FrameTraits(
      reading: .anywhere,
      size: { arguments, extent in
        let growth =
          try arguments.word("edge") == "extend" ? 2 * (arguments.number("radius") * 3).rounded(.up) : 0
        return (Double(extent.width) + growth, Double(extent.height) + growth)
      }, addsAlpha: true,
      keeps: { arguments, frame in
        try frame.blurBytes(
          radius: arguments.number("radius"), edge: arguments.word("edge"),
          linear: arguments.boolean("linear"))
      })
  ) { pass in
    try Blur(
      radius: pass.arguments.number("radius"), edge: pass.arguments.word("edge"),
      linear: pass.arguments.boolean("linear"), storage: pass.context.storage
    ).apply(to: pass.image)
  }

  static let boxBlur = FilterDefinition(
    "box-blur", .effects, "box blur: the mean of the square around each pixel",
    parameters: [
      .optional(
        "radius", .integer(0...1_000, unit: "px"), default: "10", "pixels on each side of the center pixel")
    ],
    example: "box-blur:5",
    traits: FilterDefinition.FrameTraits(
      reading: .anywhere, keeps: { _, frame in frame.hasAlpha ? frame.samples * 2 : 0 })
  ) { pass in
    try BoxBlur(
      radius: pass.arguments.integer("radius"), linear: false, storage: pass.context.storage
    ).apply(to: pass.image)
  }

  static let median = FilterDefinition(
    "median", .effects, "median filter: remove specks, keep edges",
    parameters: [
      .optional(
        "size", .integer(1...63, unit: "px"), default: "3", "side of the square, rounded up to an odd number")
    ],
    example: "median:3", traits: mixing
  ) { pass in
    let size = try pass.arguments.integer("size") | 1
    if size == 1 { return pass.image }
    return try pass.image.mappingColors { try $0.rounding($0.medianFiltered(size: size)) }
  }

  static let sharpen = FilterDefinition(
    "sharpen", .effects, "sharpen the luma without changing colors",
    parameters: [
      .optional(
        "sigma", .number(0.1...10, unit: "px"), default: "1",
        "standard deviation of the blur; small for fine detail"),
      .optional("amount", .number(0...10), default: "1", "strength; 0 changes nothing"),
    ], example: "sharpen:1:0.8",
    traits: FilterDefinition.FrameTraits(
      reading: .anywhere,
      keeps: { arguments, frame in frame.lumaBytes(sigma: try arguments.number("sigma")) })
  ) { pass in
    let sigma = try pass.arguments.number("sigma")
    let amount = try pass.arguments.number("amount")
    return try pass.toning { try $0.sharpenedLuma(sigma: sigma, amount: amount, pass) }
  }

  static let unsharp = FilterDefinition(
    "unsharp", .effects, "unsharp mask: sharpen by the difference from a Gaussian blur",
    parameters: [
      .optional("radius", .number(0...100, unit: "px"), default: "2.5", "standard deviation of the blur"),
      .optional("intensity", .number(0...10), default: "0.5", "strength; 0 changes nothing"),
    ], example: "unsharp:2:0.6",
    traits: FilterDefinition.FrameTraits(
      reading: .anywhere,
      keeps: { arguments, frame in
        try frame.blurBytes(radius: arguments.number("radius"), edge: "clamp", linear: false)
      })
  ) { pass in
    try Unsharp(radius: pass.arguments.number("radius"), intensity: pass.arguments.number("intensity"))
      .apply(pass)
  }

  static let pixelate = FilterDefinition(
    "pixelate", .effects, "replace squares of pixels by their mean color",
    parameters: [.optional("size", .integer(1...1_000, unit: "px"), default: "8", "side of the squares")],
    example: "pixelate:12", traits: FilterDefinition.FrameTraits(keeps: { _, frame in frame.tileBytes })
  ) { pass in
    try Pixelate(size: pass.arguments.integer("size"), originX: 0, originY: 0).apply(pass)
  }

  static let vignette = FilterDefinition(
    "vignette", .effects, "darken the image toward the corners",
    parameters: [
      .optional("intensity", .number(0...1), default: "0.5", "darkness of the corners; 1 is black"),
      .optional(
        "radius", .number(0...2), default: "0.5", "where darkening starts; 0 is the center, 1 the corners"),
    ], example: "vignette:0.7:0.4"
  ) { pass in
    try Vignette(
      intensity: pass.arguments.number("intensity"), start: pass.arguments.number("radius"), end: 1
    ).apply(pass)
  }

  static let edges = FilterDefinition(
    "edges", .effects, "show edges, light on black (Sobel operator)",
    parameters: [.optional("intensity", .number(0...100), default: "1", "brightness of the edges")],
    example: "edges:2", traits: mixing
  ) { pass in
    let intensity = try pass.arguments.number("intensity")
    return try pass.toning { try $0.sobelEdges(intensity: intensity) }
  }
}
