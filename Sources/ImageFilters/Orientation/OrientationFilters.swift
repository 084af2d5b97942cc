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
      let turned = try pass.image.addingAlpha().mixingPixels { try turn($0, by: angle) }
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

  /// A canvas that just holds the turned picture, whose middle is the picture's.
  private static func turn(_ image: VipsImage, by degrees: Double) throws -> VipsImage {
    let angle = degrees * .pi / 180
    let (c, s) = (cosine(angle), sine(angle))
    let (width, height) = (Double(image.width), Double(image.height))
    let extent = try ResizingGeometry.checked(
      (abs(c) * width + abs(s) * height - 1e-9).rounded(.up),
      (abs(s) * width + abs(c) * height - 1e-9).rounded(.up))
    // Middles of pixels are turned about the middles of the two pictures.
    return try image.applying(
      "affine",
      [
        "matrix": .doubles([c, -s, s, c]), "interpolate": .interpolator("bicubic"), "premultiplied": true,
        "idx": .double(-(width - 1) / 2), "idy": .double(-(height - 1) / 2),
        "odx": .double(Double(extent.width - 1) / 2), "ody": .double(Double(extent.height - 1) / 2),
        "oarea": .integers([0, 0, extent.width, extent.height]),
      ])
  }
}
