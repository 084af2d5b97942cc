import Vips

/// Core Image filters by name, computed by libvips.
///
/// Parameter names, ranges and defaults are those of the Core Image Filter Reference. Blur and sepia match measured
/// results of Core Image; the other filters approximate it.
enum CoreImageFilters {
  static let all = blurs + adjustments + effects + stylizations

  private static func filter(
    _ name: String, _ summary: String, _ parameters: [FilterParameter] = [], example: String? = nil,
    isPointwise: Bool = false, addsAlpha: Bool = false,
    addsColor: Bool = false, traits: FilterDefinition.FrameTraits? = nil,
    _ run: @escaping @Sendable (FilterPass) throws -> VipsImage
  ) -> FilterDefinition {
    FilterDefinition(
      "ci:\(name)", .coreImage, summary, aliases: [FilterDefinition.Alias(name: name, presets: [:])],
      parameters: parameters, example: "ci:\(name)" + (example.map { ":\($0)" } ?? ""),
      traits: traits
        ?? FilterDefinition.FrameTraits(
          isPointwise: isPointwise, reading: isPointwise ? .once : .anywhere, addsAlpha: addsAlpha,
          addsColor: addsColor),
      run: run)
  }

  /// The traits of a blur that grows the canvas by `growth` radii on each side.
  private static func blurring(
    _ key: String, growth: Double, rounding: FloatingPointRoundingRule = .up,
    keeps: @escaping @Sendable (Double, FrameForecast) -> Double
  ) -> FilterDefinition.FrameTraits {
    FilterDefinition.FrameTraits(
      reading: .anywhere,
      size: { arguments, extent in
        let added = 2 * (try arguments.number(key) * growth).rounded(rounding)
        return (Double(extent.width) + added, Double(extent.height) + added)
      }, addsAlpha: growth > 0, keeps: { arguments, frame in keeps(try arguments.number(key), frame) })
  }

  private static func number(
    _ name: String, _ range: ClosedRange<Double>, _ value: String, _ summary: String
  ) -> FilterParameter {
    .optional(name, .number(range), default: value, summary)
  }

  private static let blurs = [
    filter(
      "CIGaussianBlur", "Gaussian blur; grows the canvas by 3 radii on each side",
      [number("inputRadius", 0...1_000, "10", "standard deviation in pixels")], example: "inputRadius=8",
      traits: blurring("inputRadius", growth: 3) { $1.blurBytes(radius: $0, edge: "extend", linear: true) }
    ) { pass in
      try Blur(
        radius: pass.arguments.number("inputRadius"), edge: "extend", linear: true,
        storage: pass.context.storage
      ).apply(to: pass.image)
    },
    filter(
      "CIBoxBlur", "box blur; grows the canvas by one radius on each side",
      [number("inputRadius", 0...1_000, "10", "half the side of the box in pixels")],
      example: "inputRadius=4",
      traits: blurring("inputRadius", growth: 1, rounding: .toNearestOrAwayFromZero) {
        $1.grown(by: 2 * $0) * 4 * 2
      }
    ) { pass in
      let radius = Int(try pass.arguments.number("inputRadius").rounded())
      let image = try pass.image.addingAlpha()
      let wide = try image.embedded(
        x: 2 * radius, y: 2 * radius, width: image.width + 4 * radius, height: image.height + 4 * radius)
      return try BoxBlur(radius: radius, linear: true, storage: pass.context.storage).apply(to: wide).cropped(
        x: radius, y: radius, width: image.width + 2 * radius, height: image.height + 2 * radius)
    },
    filter("CIMedianFilter", "median of each 3x3 square") { pass in
      try pass.image.mappingColors { try $0.rounding($0.medianFiltered(size: 3)) }
    },
  ]

  private static let adjustments = [
    filter(
      "CIColorControls", "adjust saturation, brightness and contrast",
      [
        number("inputSaturation", 0...2, "1", "0 is gray"),
        number("inputBrightness", -1...1, "0", "amount added to every channel"),
        number("inputContrast", 0...4, "1", "factor around middle gray"),
      ], example: "inputSaturation=0.5:inputContrast=1.2", isPointwise: true
    ) { pass in
      let saturation = try pass.arguments.number("inputSaturation")
      let brightness = try pass.arguments.number("inputBrightness")
      let contrast = try pass.arguments.number("inputContrast")
      return try pass.toning {
        try $0.recombined(ColorMatrix.saturation(saturation))
          .linear([contrast], [0.5 - 0.5 * contrast + brightness])
      }
    },
    filter(
      "CIColorMatrix", "replace each channel by a weighted sum of all channels plus a bias",
      [
        .optional("inputRVector", .vector(4), default: "1 0 0 0", "weights of R G B A in red"),
        .optional("inputGVector", .vector(4), default: "0 1 0 0", "weights of R G B A in green"),
        .optional("inputBVector", .vector(4), default: "0 0 1 0", "weights of R G B A in blue"),
        .optional("inputAVector", .vector(4), default: "0 0 0 1", "weights of R G B A in alpha"),
        .optional("inputBiasVector", .vector(4), default: "0 0 0 0", "bias added to R G B A"),
      ], example: "inputRVector=0_1_0_0:inputGVector=1_0_0_0", isPointwise: true, addsAlpha: true,
      addsColor: true
    ) { pass in
      let keys = ["inputRVector", "inputGVector", "inputBVector", "inputAVector"]
      let rows = try keys.map { try pass.arguments.vector($0) }
      let bias = try pass.arguments.vector("inputBiasVector")
      let image = try pass.image.addingAlpha()
      let white = image.maximum
      let mixed = try image.linear([1 / white], [0]).recombined(rows).linear([white], bias.map { $0 * white })
      let result = try image.rounding(mixed)
      let alphaStays = rows[3] == [0, 0, 0, 1] && bias[3] == 0
      return pass.image.hasAlpha || !alphaStays ? result : try result.colors()
    },
    filter(
      "CIExposureAdjust", "change the exposure in linear light",
      [number("inputEV", -10...10, "0", "stops; each doubles the light")], example: "inputEV=0.5",
      isPointwise: true
    ) { pass in
      let factor = power(2, try pass.arguments.number("inputEV"))
      return try pass.lighting { try $0.linear([factor], [0]) }
    },
    filter(
      "CIGammaAdjust", "raise linear light to a power",
      [number("inputPower", 0.1...4, "1", "exponent; above 1 darkens")],
      example: "inputPower=0.75", isPointwise: true
    ) { pass in
      let exponent = try pass.arguments.number("inputPower")
      return try pass.lighting { try $0.raised(to: exponent) }
    },
    filter(
      "CIHueAdjust", "rotate the hue",
      [number("inputAngle", -3.141592653589793...3.141592653589793, "0", "rotation in radians")],
      example: "inputAngle=1",
      isPointwise: true
    ) { pass in
      let degrees = try pass.arguments.number("inputAngle") * 180 / .pi
      return try pass.toning { try $0.recombined(ColorMatrix.hueRotation(degrees: degrees)) }
    },
    filter(
      "CIVibrance", "saturate weak colors more than strong ones",
      [number("inputAmount", -1...1, "0", "0 changes nothing")], example: "inputAmount=0.7", isPointwise: true
    ) { pass in try Vibrance.apply(pass, amount: pass.arguments.number("inputAmount")) },
    filter(
      "CIWhitePointAdjust", "map white to a color, scaling all other colors with it",
      [.optional("inputColor", .color, default: "white", "the new white")], example: "inputColor=#ffe8c8",
      isPointwise: true
    ) { pass in
      let white = try pass.arguments.color("inputColor").fractions
      return try pass.toning { try $0.linear(white, [0, 0, 0]) }
    },
  ]

  private static let effects = [
    filter(
      "CISepiaTone", "apply a sepia tone",
      [number("inputIntensity", 0...1, "1", "0 leaves the image unchanged")], example: "inputIntensity=0.8",
      isPointwise: true, addsColor: true
    ) { pass in try Sepia.apply(pass, intensity: pass.arguments.number("inputIntensity")) },
    filter("CIColorInvert", "invert the colors", isPointwise: true) { pass in
      try pass.image.mappingColors { try $0.rounding($0.applying("invert")) }
    },
    filter(
      "CIColorMonochrome", "color the image in shades of one color",
      [
        .optional("inputColor", .color, default: "#99734d", "color that replaces white"),
        number("inputIntensity", 0...1, "1", "0 leaves the image unchanged"),
      ], example: "inputColor=#99734d", isPointwise: true
    ) { pass in
      let color = try pass.arguments.color("inputColor").fractions
      let intensity = try pass.arguments.number("inputIntensity")
      return try pass.toning { colors in
        try colors.blended(
          with: colors.weighed(Luma.rec709).tripled().linear(color, [0, 0, 0]), amount: intensity)
      }
    },
    filter(
      "CIColorPosterize", "reduce each channel to a few levels",
      [number("inputLevels", 2...30, "6", "levels per channel")],
      example: "inputLevels=4", isPointwise: true
    ) { pass in
      let levels = try pass.arguments.number("inputLevels").rounded()
      return try pass.toning { try $0.posterized(levels: levels) }
    },
    filter("CIPhotoEffectMono", "black and white with reduced contrast", isPointwise: true) { pass in
      try PhotoEffect.gray(pass, contrast: 0.9, lift: 0.02)
    },
    filter("CIPhotoEffectNoir", "black and white with increased contrast", isPointwise: true) { pass in
      try PhotoEffect.gray(pass, contrast: 1.4, lift: -0.02)
    },
    filter("CIPhotoEffectTonal", "black and white with unchanged contrast", isPointwise: true) { pass in
      try PhotoEffect.gray(pass, contrast: 1, lift: 0)
    },
    filter("CIMaximumComponent", "gray from each pixel's largest channel", isPointwise: true) { pass in
      try PhotoEffect.ranked(pass, index: 2)
    },
    filter("CIMinimumComponent", "gray from each pixel's smallest channel", isPointwise: true) { pass in
      try PhotoEffect.ranked(pass, index: 0)
    },
    filter("CIMaskToAlpha", "white, with luminance as alpha", isPointwise: true, addsAlpha: true) { pass in
      let image = pass.image
      let luma = try image.colors().converted(to: .linear).weighed(Luma.rec709).linear(
        [image.maximum], [0.5]
      )
      .cast(to: image.format)
      let white = try image.colors().linear([0], [image.maximum]).cast(to: image.format)
      return try white.joiningBands([luma]).copied(["interpretation": .nick(image.interpretation.rawValue)])
    },
  ]

  private static let stylizations = [
    filter(
      "CISharpenLuminance", "sharpen the luma without changing colors",
      [
        number("inputSharpness", 0...2, "0.4", "0 changes nothing"),
        number("inputRadius", 0.1...20, "1.69", "standard deviation of the blur, in pixels"),
      ], example: "inputSharpness=0.8",
      traits: blurring("inputRadius", growth: 0) { $1.lumaBytes(sigma: $0) }
    ) { pass in
      let sigma = try pass.arguments.number("inputRadius")
      let amount = try pass.arguments.number("inputSharpness")
      return try pass.toning { try $0.sharpenedLuma(sigma: sigma, amount: amount, pass) }
    },
    filter(
      "CIUnsharpMask", "unsharp mask: sharpen by the difference from a Gaussian blur",
      [
        number("inputRadius", 0...100, "2.5", "standard deviation of the blur, in pixels"),
        number("inputIntensity", 0...1, "0.5", "0 changes nothing"),
      ], example: "inputRadius=2:inputIntensity=0.7",
      traits: blurring("inputRadius", growth: 0) { $1.blurBytes(radius: $0, edge: "clamp", linear: false) }
    ) { pass in
      try Unsharp(
        radius: pass.arguments.number("inputRadius"), intensity: pass.arguments.number("inputIntensity")
      ).apply(pass)
    },
    filter(
      "CIPixellate", "replace squares of pixels by their mean color",
      [
        .optional(
          "inputCenter", .vector(2), default: "150 150",
          "center of one square, in pixels from the bottom left"),
        number("inputScale", 1...100, "8", "side of the squares in pixels"),
      ], example: "inputScale=12",
      traits: FilterDefinition.FrameTraits(keeps: { _, frame in frame.tileBytes })
    ) { pass in
      let size = max(1, Int(try pass.arguments.number("inputScale").rounded()))
      let centre = try pass.arguments.vector("inputCenter")
      func corner(_ middle: Double) -> Int {
        let start = Int(middle.rounded()) - size / 2
        return (start % size + size) % size
      }
      return try Pixelate(
        size: size, originX: corner(centre[0]), originY: corner(Double(pass.image.height) - centre[1])
      ).apply(pass)
    },
    filter(
      "CIVignette", "darken or lighten the corners",
      [
        number("inputIntensity", -1...1, "0", "above 0 darkens, below 0 lightens, 0 changes nothing"),
        number("inputRadius", 0...2, "1", "how far the effect reaches inward from the corners"),
      ], example: "inputIntensity=1:inputRadius=1.5"
    ) { pass in
      try Vignette(
        intensity: pass.arguments.number("inputIntensity"),
        start: max(0, 1 - 0.5 * pass.arguments.number("inputRadius")), end: 1
      ).apply(pass)
    },
    filter(
      "CIEdges", "show edges, light on black",
      [number("inputIntensity", 0...10, "1", "brightness of the edges")],
      example: "inputIntensity=2"
    ) { pass in
      let intensity = try pass.arguments.number("inputIntensity")
      return try pass.toning { try $0.sobelEdges(intensity: intensity) }
    },
  ]
}
