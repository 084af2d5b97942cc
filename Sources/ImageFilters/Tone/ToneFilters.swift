import Vips

/// Filters that change colours pixel by pixel. All but `opacity` and `flatten` leave the alpha untouched.
enum ToneFilters {
  static let all = [
    grayscale, sepia, invert, brightness, contrast, saturation, hue, gamma, exposure, tint, duotone, opacity,
    flatten, normalize, posterize, threshold,
  ]

  static let pointwise = FilterDefinition.FrameTraits(isPointwise: true)

  private static let colouring = FilterDefinition.FrameTraits(isPointwise: true, addsColour: true)

  static let grayscale = FilterDefinition(
    "grayscale", .tone, "gray of the same lightness", aliases: ["greyscale"], example: "grayscale",
    traits: pointwise
  ) { pass in
    try pass.lighting { try $0.weighed(Luma.rec709).tripled() }
  }

  static let sepia = FilterDefinition(
    "sepia", .tone, "the brown of an old photograph, as CISepiaTone makes it",
    parameters: [.optional("intensity", .number(0...1), default: "1", "0 is the picture as it was")],
    example: "sepia:0.8", traits: colouring
  ) { pass in try Sepia.apply(pass, intensity: pass.arguments.number("intensity")) }

  static let invert = FilterDefinition(
    "invert", .tone, "the negative", example: "invert", traits: pointwise
  ) { pass in
    try pass.image.mappingColours { try $0.rounding($0.applying("invert")) }
  }

  static let brightness = FilterDefinition(
    "brightness", .tone, "lighter or darker: added to every colour, 1 being white",
    parameters: [.required("amount", .number(-1...1), "0 changes nothing")],
    example: "brightness:0.1", traits: pointwise
  ) { pass in
    let amount = try pass.arguments.number("amount")
    return try pass.toning { try $0.linear([1], [amount]) }
  }

  static let contrast = FilterDefinition(
    "contrast", .tone, "further from or nearer to middle gray",
    parameters: [.required("factor", .number(0...10), "1 changes nothing")],
    example: "contrast:1.2", traits: pointwise
  ) { pass in
    let factor = try pass.arguments.number("factor")
    return try pass.toning { try $0.linear([factor], [0.5 - 0.5 * factor]) }
  }

  static let saturation = FilterDefinition(
    "saturation", .tone, "stronger or weaker colours",
    parameters: [.required("factor", .number(0...10), "1 changes nothing, 0 is gray")],
    example: "saturation:1.3", traits: pointwise
  ) { pass in
    let factor = try pass.arguments.number("factor")
    return try pass.toning { try $0.recombined(ColourMatrix.saturation(factor)) }
  }

  static let hue = FilterDefinition(
    "hue", .tone, "colours turned round the wheel",
    parameters: [.required("angle", .angle, "0 changes nothing")],
    example: "hue:90", traits: pointwise
  ) { pass in
    let angle = try pass.arguments.number("angle")
    return try pass.toning { try $0.recombined(ColourMatrix.hueRotation(degrees: angle)) }
  }

  static let gamma = FilterDefinition(
    "gamma", .tone, "middle tones lighter (above 1) or darker",
    parameters: [.required("gamma", .number(0.1...10), "1 changes nothing")],
    example: "gamma:1.4", traits: pointwise
  ) { pass in
    let exponent = 1 / (try pass.arguments.number("gamma"))
    return try pass.toning { try $0.raised(to: exponent) }
  }

  static let exposure = FilterDefinition(
    "exposure", .tone, "light doubled so many times",
    parameters: [.required("stops", .number(-10...10, unit: "EV"), "0 changes nothing")],
    example: "exposure:0.5", traits: pointwise
  ) { pass in
    let factor = power(2, try pass.arguments.number("stops"))
    return try pass.lighting { try $0.linear([factor], [0]) }
  }

  static let tint = FilterDefinition(
    "tint", .tone, "the picture's lightness in the hue of one colour",
    parameters: [
      .required("colour", .colour, "of middle tones; black and white stay"),
      .optional("intensity", .number(0...1), default: "1", "0 is the picture as it was"),
    ], example: "tint:teal:0.6", traits: pointwise
  ) { pass in
    let colour = try pass.arguments.colour("colour")
    let intensity = try pass.arguments.number("intensity")
    return try pass.toning { colours in
      let gray = try colours.weighed(Luma.rec709)
      // Through the colour at middle gray, as a quadratic that meets black and white.
      let bands = try colour.fractions.map { middle in
        let square = 2 - 4 * middle
        return try gray.linear([square], [1 - square]).combined("multiply", with: gray)
      }
      return try colours.blended(with: bands[0].joiningBands([bands[1], bands[2]]), amount: intensity)
    }
  }

  static let duotone = FilterDefinition(
    "duotone", .tone, "two colours: one for what is dark, one for what is light",
    parameters: [
      .required("dark", .colour, "for black"), .required("light", .colour, "for white"),
    ], example: "duotone:navy:gold", traits: pointwise
  ) { pass in
    let dark = try pass.arguments.colour("dark").fractions
    let light = try pass.arguments.colour("light").fractions
    return try pass.toning { colours in
      try colours.weighed(Luma.rec709).tripled().linear(zip(light, dark).map { $0 - $1 }, dark)
    }
  }

  static let opacity = FilterDefinition(
    "opacity", .tone, "the alpha multiplied",
    parameters: [.required("factor", .number(0...1), "1 changes nothing, 0 is nothing left")],
    example: "opacity:0.5",
    traits: FilterDefinition.FrameTraits(isPointwise: true, keepsColourSpace: true, addsAlpha: true)
  ) { pass in
    let factor = try pass.arguments.number("factor")
    let image = try pass.image.addingAlpha()
    guard let alpha = try image.alpha() else { return image }
    return try image.replacingAlpha(alpha.linear([factor], [0.5]).cast(to: image.format))
  }

  static let flatten = FilterDefinition(
    "flatten", .tone, "put on a background; the alpha goes",
    parameters: [.optional("background", .colour, default: "white", "its own alpha counts for nothing")],
    example: "flatten:white", traits: FilterDefinition.FrameTraits(isPointwise: true, keepsColourSpace: true)
  ) { pass in
    guard pass.image.hasAlpha else { return pass.image }
    let background = pass.values(of: try pass.arguments.colour("background"), bands: pass.image.colourBands)
    return try pass.image.rounding(
      pass.image.applying(
        "flatten", ["background": .doubles(background), "max-alpha": .double(pass.image.maximum)]))
  }

  static let normalize = FilterDefinition(
    "normalize", .tone, "tones spread from black to white, but for the outermost hundredth at either end",
    aliases: ["normalise"], example: "normalize",
    traits: FilterDefinition.FrameTraits(reading: .anywhere)
  ) { pass in try Normalizing.apply(pass) }

  static let posterize = FilterDefinition(
    "posterize", .tone, "so many levels of each colour",
    parameters: [.required("levels", .integer(2...256), "of red, of green and of blue")],
    example: "posterize:4", traits: pointwise
  ) { pass in
    let steps = Double(try pass.arguments.integer("levels"))
    return try pass.toning { try $0.posterized(levels: steps) }
  }

  static let threshold = FilterDefinition(
    "threshold", .tone, "white where it is as light, black where it isn't",
    parameters: [.optional("level", .number(0...255), default: "128", "of the gray that the colours make")],
    example: "threshold:128", traits: pointwise
  ) { pass in
    let level = try pass.arguments.number("level")
    return try pass.toning { colours in
      try colours.weighed(Luma.rec709)
        .applying("relational_const", ["relational": "moreeq", "c": .doubles([level / 255 - 1e-6])])
        .linear([1.0 / 255], [0]).tripled()
    }
  }
}
