import Vips

/// Filters that change colours pixel by pixel. All but `opacity` and `flatten` leave the alpha untouched.
enum ToneFilters {
  static let all = [grayscale, sepia]

  static let pointwise = FilterDefinition.FrameTraits(isPointwise: true)

  static let grayscale = FilterDefinition(
    "grayscale", .tone, "gray of the same lightness", aliases: ["greyscale"], example: "grayscale",
    traits: pointwise
  ) { pass in
    try pass.lighting { try $0.weighed(Luma.rec709).tripled() }
  }

  static let sepia = FilterDefinition(
    "sepia", .tone, "the brown of an old photograph, as CISepiaTone makes it",
    parameters: [.optional("intensity", .number(0...1), default: "1", "0 is the picture as it was")],
    example: "sepia:0.8", traits: pointwise
  ) { pass in try Sepia.apply(pass, intensity: pass.arguments.number("intensity")) }
}
