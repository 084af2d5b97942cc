import Vips

/// Filters that change colors pixel by pixel. All except `opacity` and `flatten` leave alpha unchanged.
enum ToneFilters {
  static let all = [
    grayscale, sepia, invert, brightness, contrast, saturation, hue, gamma, exposure, tint, duotone, opacity,
    flatten, normalize, posterize, threshold,
  ]

  static let pointwise = FilterDefinition.FrameTraits(isPointwise: true)

  private static let coloring = FilterDefinition.FrameTraits(isPointwise: true, addsColor: true)

  static let grayscale = FilterDefinition(
    "grayscale", .tone, "convert to gray of the same luminance", aliases: ["greyscale"], example: "grayscale",
    traits: pointwise
  ) { pass in
    try pass.lighting { try $0.weighed(Luma.rec709).tripled() }
  }

  static let sepia = FilterDefinition(
    "sepia", .tone, "apply a sepia tone, as CISepiaTone does",
    parameters: [.optional("intensity", .number(0...1), default: "1", "0 leaves the image unchanged")],
    example: "sepia:0.8", traits: coloring
  ) { pass in try Sepia.apply(pass, intensity: pass.arguments.number("intensity")) }

  static let invert = FilterDefinition(
    "invert", .tone, "invert the colors", example: "invert", traits: pointwise
  ) { pass in
    try pass.image.mappingColors { try $0.rounding($0.applying("invert")) }
  }

  static let brightness = FilterDefinition(
    "brightness", .tone, "lighten or darken by adding an amount to every channel",
    parameters: [.required("amount", .number(-1...1), "amount to add, where 1 is white; 0 changes nothing")],
    example: "brightness:0.1", traits: pointwise
  ) { pass in
    let amount = try pass.arguments.number("amount")
    return try pass.toning { try $0.linear([1], [amount]) }
  }

  static let contrast = FilterDefinition(
    "contrast", .tone, "increase or reduce the contrast around middle gray",
    parameters: [.required("factor", .number(0...10), "above 1 increases the contrast; 1 changes nothing")],
    example: "contrast:1.2", traits: pointwise
  ) { pass in
    let factor = try pass.arguments.number("factor")
    return try pass.toning { try $0.linear([factor], [0.5 - 0.5 * factor]) }
  }

  static let saturation = FilterDefinition(
    "saturation", .tone, "make colors stronger or weaker",
    parameters: [.required("factor", .number(0...10), "0 is gray, 1 changes nothing, above 1 is stronger")],
    example: "saturation:1.3", traits: pointwise
  ) { pass in
    let factor = try pass.arguments.number("factor")
    return try pass.toning { try $0.recombined(ColorMatrix.saturation(factor)) }
  }

  static let hue = FilterDefinition(
    "hue", .tone, "rotate the hue",
    parameters: [.required("angle", .angle, "rotation on the color wheel; 0 changes nothing")],
    example: "hue:90", traits: pointwise
  ) { pass in
    let angle = try pass.arguments.number("angle")
    return try pass.toning { try $0.recombined(ColorMatrix.hueRotation(degrees: angle)) }
  }

  static let gamma = FilterDefinition(
    "gamma", .tone, "lighten or darken the midtones",
    parameters: [
      .required("gamma", .number(0.1...10), "above 1 lightens, below 1 darkens, 1 changes nothing")
    ],
    example: "gamma:1.4", traits: pointwise
  ) { pass in
    let exponent = 1 / (try pass.arguments.number("gamma"))
    return try pass.toning { try $0.raised(to: exponent) }
  }

  static let exposure = FilterDefinition(
    "exposure", .tone, "change the exposure in linear light",
    parameters: [
      .required("stops", .number(-10...10, unit: "EV"), "each stop doubles the light; 0 changes nothing")
    ],
    example: "exposure:0.5", traits: pointwise
  ) { pass in
    let factor = power(2, try pass.arguments.number("stops"))
    return try pass.lighting { try $0.linear([factor], [0]) }
  }

  static let tint = FilterDefinition(
    "tint", .tone, "color the image in shades of one color",
    parameters: [
      .required("colour", .color, "color of the midtones; black and white stay unchanged"),
      .optional("intensity", .number(0...1), default: "1", "0 leaves the image unchanged"),
    ], example: "tint:teal:0.6", traits: pointwise
  ) { pass in
    let color = try pass.arguments.color("colour")
    let intensity = try pass.arguments.number("intensity")
    return try pass.toning { colors in
      let gray = try colors.weighed(Luma.rec709)
      // For each channel, a quadratic that keeps black and white and maps middle gray to the color.
      let bands = try color.fractions.map { middle in
        let square = 2 - 4 * middle
        return try gray.linear([square], [1 - square]).combined("multiply", with: gray)
      }
      return try colors.blended(with: bands[0].joiningBands([bands[1], bands[2]]), amount: intensity)
    }
  }

  static let duotone = FilterDefinition(
    "duotone", .tone, "map the tones to a gradient between two colors",
    parameters: [
      .required("dark", .color, "color that replaces black"),
      .required("light", .color, "color that replaces white"),
    ], example: "duotone:navy:gold", traits: pointwise
  ) { pass in
    let dark = try pass.arguments.color("dark").fractions
    let light = try pass.arguments.color("light").fractions
    return try pass.toning { colors in
      try colors.weighed(Luma.rec709).tripled().linear(zip(light, dark).map { $0 - $1 }, dark)
    }
  }

  static let opacity = FilterDefinition(
    "opacity", .tone, "multiply the alpha channel",
    parameters: [.required("factor", .number(0...1), "0 is fully transparent, 1 changes nothing")],
    example: "opacity:0.5",
    traits: FilterDefinition.FrameTraits(isPointwise: true, keepsColorSpace: true, addsAlpha: true)
  ) { pass in
    let factor = try pass.arguments.number("factor")
    let image = try pass.image.addingAlpha()
    guard let alpha = try image.alpha() else { return image }
    return try image.replacingAlpha(alpha.linear([factor], [0.5]).cast(to: image.format))
  }

  static let flatten = FilterDefinition(
    "flatten", .tone, "remove the alpha channel by placing the image on a background",
    parameters: [.optional("background", .color, default: "white", "background color; its alpha is ignored")],
    example: "flatten:white", traits: FilterDefinition.FrameTraits(isPointwise: true, keepsColorSpace: true)
  ) { pass in
    guard pass.image.hasAlpha else { return pass.image }
    let background = pass.values(of: try pass.arguments.color("background"), bands: pass.image.colorBands)
    return try pass.image.rounding(
      pass.image.applying(
        "flatten", ["background": .doubles(background), "max-alpha": .double(pass.image.maximum)]))
  }

  static let normalize = FilterDefinition(
    "normalize", .tone, "stretch the tones from black to white, clipping the darkest and lightest 1%",
    aliases: ["normalise"], example: "normalize",
    traits: FilterDefinition.FrameTraits(reading: .anywhere)
  ) { pass in try Normalize.apply(pass) }

  static let posterize = FilterDefinition(
    "posterize", .tone, "reduce each channel to a few levels",
    parameters: [.required("levels", .integer(2...256), "levels per channel")],
    example: "posterize:4", traits: pointwise
  ) { pass in
    let steps = Double(try pass.arguments.integer("levels"))
    return try pass.toning { try $0.posterized(levels: steps) }
  }

  static let threshold = FilterDefinition(
    "threshold", .tone, "make every pixel black or white",
    parameters: [
      .optional("level", .number(0...255), default: "128", "luma from which a pixel becomes white")
    ],
    example: "threshold:128", traits: pointwise
  ) { pass in
    let level = try pass.arguments.number("level")
    return try pass.toning { colors in
      try colors.weighed(Luma.rec709)
        .applying("relational_const", ["relational": "moreeq", "c": .doubles([level / 255 - 1e-6])])
        .linear([1.0 / 255], [0]).tripled()
    }
  }
}
