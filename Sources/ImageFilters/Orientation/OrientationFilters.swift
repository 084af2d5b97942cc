import Vips

/// Filters that rotate or mirror an image.
enum OrientationFilters {
  static let all = [rotate, flip, flop]

  static let rotate = FilterDefinition(
    "rotate", .orientation,
    "rotate clockwise (multiples of 90 are lossless; other angles enlarge the canvas)",
    parameters: [
      .required("angle", .angle, "clockwise angle"),
      .optional("background", .color, default: "transparent", "color of the uncovered corners"),
    ], example: "rotate:90",
    traits: FilterDefinition.FrameTraits(
      reading: .anywhere, keepsColorSpace: true,
      size: { arguments, extent in turned(extent, by: try arguments.number("angle")) }, addsAlpha: true,
      keeps: { arguments, frame in
        let angle = try arguments.number("angle")
        guard angle.truncatingRemainder(dividingBy: 90) != 0 else { return 0 }
        var turned = frame
        turned.extent.width = Int(Self.turned(frame.extent, by: angle).width)
        turned.bands = 4
        return turned.tileBytes
      })
  ) { pass in
    let angle = try pass.arguments.number("angle")
    switch angle {
    case 0: return pass.image
    case 90: return try pass.image.applying("rot", ["angle": "d90"])
    case 180: return try pass.image.applying("rot", ["angle": "d180"])
    case 270: return try pass.image.applying("rot", ["angle": "d270"])
    default:
      let background = try pass.arguments.color("background")
      let turned = try pass.image.addingAlpha().mixingPixels { try turn($0, by: angle) }
      let canvas = Canvas(
        pass: pass, background: background, extent: Size(width: turned.width, height: turned.height))
      return try canvas.under(turned)
    }
  }

  static let flip = FilterDefinition(
    "flip", .orientation, "mirror vertically, top to bottom", example: "flip",
    traits: FilterDefinition.FrameTraits(reading: .anywhere, movesPixels: true, keepsColorSpace: true)
  ) { try $0.image.applying("flip", ["direction": "vertical"]) }

  static let flop = FilterDefinition(
    "flop", .orientation, "mirror horizontally, left to right", example: "flop",
    traits: FilterDefinition.FrameTraits(movesPixels: true, keepsColorSpace: true)
  ) { try $0.image.applying("flip", ["direction": "horizontal"]) }

  /// The size of the rotated rectangle's bounding box, in whole pixels.
  private static func turned(_ extent: Size, by degrees: Double) -> (width: Double, height: Double) {
    let angle = degrees * .pi / 180
    let (c, s) = (abs(cosine(angle)), abs(sine(angle)))
    let (width, height) = (Double(extent.width), Double(extent.height))
    return ((c * width + s * height - 1e-9).rounded(.up), (s * width + c * height - 1e-9).rounded(.up))
  }

  /// Rotates an image about its center into its bounding box.
  private static func turn(_ image: VipsImage, by degrees: Double) throws -> VipsImage {
    let angle = degrees * .pi / 180
    let (c, s) = (cosine(angle), sine(angle))
    let (width, height) = (Double(image.width), Double(image.height))
    let sides = turned(Size(width: image.width, height: image.height), by: degrees)
    let extent = try ResizingGeometry.checked(sides.width, sides.height)
    // Rotate pixel centers about the centers of the two images.
    return try image.applying(
      "affine",
      [
        "matrix": .doubles([c, -s, s, c]), "interpolate": .interpolator("bicubic"), "premultiplied": true,
        "idx": .double(-(width - 1) / 2), "idy": .double(-(height - 1) / 2),
        "odx": .double(Double(extent.width - 1) / 2), "ody": .double(Double(extent.height - 1) / 2),
        "oarea": .integers([0, 0, extent.width, extent.height]),
      ]
    ).computedInTiles()
  }
}
