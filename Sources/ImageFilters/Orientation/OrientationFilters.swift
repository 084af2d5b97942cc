import Vips

/// Filters that turn a picture.
enum OrientationFilters {
  static let all = [rotate, flip, flop]

  static let rotate = FilterDefinition(
    "rotate", .orientation, "turned clockwise; multiples of 90 lose nothing, others enlarge the canvas",
    parameters: [
      .required("angle", .angle, "clockwise"),
      .optional("background", .colour, default: "transparent", "what the corners are made of"),
    ], example: "rotate:90",
    traits: FilterDefinition.FrameTraits(isSequential: false, keepsColourSpace: true)
  ) { pass in
    let angle = try pass.arguments.number("angle")
    switch angle {
    case 0: return pass.image
    case 90: return try pass.image.applying("rot", ["angle": "d90"])
    case 180: return try pass.image.applying("rot", ["angle": "d180"])
    case 270: return try pass.image.applying("rot", ["angle": "d270"])
    default:
      let background = try pass.arguments.colour("background")
      let turned = try pass.image.addingAlpha().mixingPixels { image in
        // A transparent frame lets the edges be anti-aliased.
        try image.embedded(x: 1, y: 1, width: image.width + 2, height: image.height + 2)
          .applying("rotate", ["angle": .double(angle), "interpolate": .interpolator("bicubic")])
      }
      let canvas = Canvas(
        pass: pass, background: background, extent: Extent(width: turned.width, height: turned.height))
      return try canvas.under(turned)
    }
  }

  static let flip = FilterDefinition(
    "flip", .orientation, "top to bottom", example: "flip",
    traits: FilterDefinition.FrameTraits(isSequential: false, keepsColourSpace: true)
  ) { try $0.image.applying("flip", ["direction": "vertical"]) }

  static let flop = FilterDefinition(
    "flop", .orientation, "left to right", example: "flop",
    traits: FilterDefinition.FrameTraits(keepsColourSpace: true)
  ) { try $0.image.applying("flip", ["direction": "horizontal"]) }
}
