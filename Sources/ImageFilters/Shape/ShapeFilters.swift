import Vips

/// Filters that cut an image to a shape.
enum ShapeFilters {
  static let all = [rounded, circle, border, fillCircle, fillRounded, scaleCircle, scaleRounded]

  private static let radius = FilterParameter.required("radius", .length, "radius of the corners")
  private static let size = FilterParameter.required("size", .size, "target size")

  static let rounded = FilterDefinition(
    "rounded", .shape, "round the corners, with transparency and anti-aliased edges",
    aliases: [
      FilterDefinition.Alias(name: "RoundedCornersFilter", presets: ["style": "continuous"]),
      FilterDefinition.Alias(name: "imageRounded", presets: ["style": "continuous"]),
    ],
    parameters: [
      .absent(
        "radius", .length,
        "radius of the corners that have no radius of their own; at most half the shorter side"),
      .absent("tl", .length, "radius of the top left corner"),
      .absent("tr", .length, "radius of the top right corner"),
      .absent("br", .length, "radius of the bottom right corner"),
      .absent("bl", .length, "radius of the bottom left corner"),
      .optional(
        "style", .choice(["circular", "continuous"]), default: "continuous",
        "a quarter circle, or Apple's smoother continuous curve"),
    ], needsOneOf: ["radius", "tl", "tr", "br", "bl"], example: "rounded:20",
    traits: FilterDefinition.FrameTraits(keepsColorSpace: true, addsAlpha: true)
  ) { pass in
    let extent = Size(width: pass.image.width, height: pass.image.height)
    let room = Double(min(extent.width, extent.height)) / 2
    let keys = ["tl", "tr", "br", "bl"]
    let continuous = try pass.arguments.word("style") == "continuous"
    let corners = try keys.map { key in
      let key = pass.arguments.has(key) ? key : "radius"
      let wanted = pass.arguments.has(key) ? try pass.arguments.length(key).pixels(in: extent) : 0
      let radius = min(wanted, room)
      guard radius > 0 else { return CornerCurve(points: [], reach: 0) }
      return continuous ? .continuous(radius: radius, room: room) : .circular(radius: radius)
    }
    return try pass.image.multiplyingAlpha(byCoverage: CornerMask.image(extent: extent, corners: corners))
  }

  static let circle = FilterDefinition(
    "circle", .shape, "crop to the center square, then cut out a circle",
    aliases: ["CircleFilter", "imageRoundedIntoCircle"], example: "circle",
    traits: FilterDefinition.FrameTraits(
      reading: .overlapping, keepsColorSpace: true,
      size: { _, extent in
        let side = Double(min(extent.width, extent.height))
        return (side, side)
      }, addsAlpha: true)
  ) { pass in
    let side = min(pass.image.width, pass.image.height)
    let square = try Fill.filled(
      pass.image, extent: Size(width: pass.image.width, height: pass.image.height),
      canvas: Size(width: side, height: side), gravity: .place(.centre), snap: false,
      resampler: Resampler(),
      storage: pass.context.storage
    )
    return try square.multiplyingAlpha(byCoverage: CornerMask.disc(side: side))
  }

  static let border = FilterDefinition(
    "border", .shape, "draw a line inside the edge; after circle or rounded, it follows the curve",
    parameters: [
      .optional("width", .integer(1...10_000, unit: "px"), default: "1", "width of the line"),
      .optional("colour", .color, default: "white", "color of the line"),
    ], example: "circle,border:4:white",
    traits: FilterDefinition.FrameTraits(
      reading: .anywhere, keepsColorSpace: true, keeps: { _, frame in Border.bytes(frame) })
  ) { pass in try Border(pass).run() }

  static let fillCircle = FilterDefinition(
    "fill-circle", .shape, "fill, then cut out a circle", aliases: ["AspectScaledToFillSizeCircleFilter"],
    parameters: [size], example: "fill-circle:100x100", standsFor: "fill:S,circle"
  ) { (arguments: FilterArguments) throws(FilterError) in
    try chain([("fill", ["size": arguments.size("size").identifier]), ("circle", [:])])
  }

  static let fillRounded = FilterDefinition(
    "fill-rounded", .shape, "fill, then round the corners",
    aliases: ["AspectScaledToFillSizeWithRoundedCornersFilter"], parameters: [size, radius],
    example: "fill-rounded:100x100:12", standsFor: "fill:S,rounded:R"
  ) { (arguments: FilterArguments) throws(FilterError) in
    try chain([
      ("fill", ["size": arguments.size("size").identifier]),
      ("rounded", ["radius": arguments.length("radius").identifier]),
    ])
  }

  static let scaleCircle = FilterDefinition(
    "scale-circle", .shape, "scale, then cut out a circle", aliases: ["ScaledToSizeCircleFilter"],
    parameters: [size], example: "scale-circle:100x100", standsFor: "scale:S,circle"
  ) { (arguments: FilterArguments) throws(FilterError) in
    try chain([("scale", ["size": arguments.size("size").identifier]), ("circle", [:])])
  }

  static let scaleRounded = FilterDefinition(
    "scale-rounded", .shape, "scale, then round the corners",
    aliases: ["ScaledToSizeWithRoundedCornersFilter"],
    parameters: [size, radius], example: "scale-rounded:100x100:12", standsFor: "scale:S,rounded:R"
  ) { (arguments: FilterArguments) throws(FilterError) in
    try chain([
      ("scale", ["size": arguments.size("size").identifier]),
      ("rounded", ["radius": arguments.length("radius").identifier]),
    ])
  }

  private static func chain(_ filters: [(String, [String: String])]) throws(FilterError) -> [FilterStep] {
    var steps: [FilterStep] = []
    for (name, arguments) in filters {
      let written = arguments.map { FilterReader.Argument(key: $0.key, value: $0.value) }
      steps += try FilterReader(named: [:]).steps(name: name, arguments: written, offset: nil)
    }
    return steps
  }
}
