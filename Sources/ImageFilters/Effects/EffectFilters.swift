import Vips

/// Filters that mix neighbouring pixels.
enum EffectFilters {
  static let all = [blur]

  static let blur = FilterDefinition(
    "blur", .effects, "a Gaussian blur",
    aliases: [
      FilterDefinition.Alias(name: "BlurFilter", presets: ["edge": "extend", "linear": "true"])
    ],
    parameters: [
      .optional("radius", .number(0...1_000, unit: "px"), default: "10", "the standard deviation"),
      .optional(
        "edge", .choice(["clamp", "transparent", "extend"]), default: "clamp",
        "outside is the edge's colour, or nothing; extend also grows the canvas by 3 radii a side"),
      .optional("linear", .boolean, default: "false", "add light, not the numbers that stand for it"),
    ], example: "blur:4",
    traits: FilterDefinition.FrameTraits(isSequential: false)
  ) { pass in
    try Blur(
      radius: pass.arguments.number("radius"), edge: pass.arguments.word("edge"),
      linear: pass.arguments.boolean("linear")
    ).apply(to: pass.image)
  }
}
