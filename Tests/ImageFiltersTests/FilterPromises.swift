import Vips

@testable import ImageFilters

/// What imagemill-filters(7) promises of each filter, apart from what it makes of colors: the test's own arithmetic, beside the
/// filters' own.
enum FilterPromises {
  /// A filter's promise.
  struct Promise: Sendable {
    /// The result's sides; nil where they depend on what the image shows.
    var size: @Sendable (FilterArguments, Size) throws -> (Double, Double)? = {
      (Double($1.width), Double($1.height))
    }
    /// Whether an opaque image of one color stays of one color.
    var keepsPlain: @Sendable (FilterArguments) throws -> Bool = { _ in true }
    var keepsAlpha = false
  }

  private static func grown(_ radius: @escaping @Sendable (FilterArguments) throws -> Double) -> Promise {
    Promise(
      size: { arguments, extent in
        let radius = try radius(arguments)
        return (Double(extent.width) + 2 * radius, Double(extent.height) + 2 * radius)
      }, keepsPlain: { try radius($0) == 0 })
  }

  private static let same = Promise()
  private static let tone = Promise(keepsAlpha: true)
  private static let shaped = Promise(keepsPlain: { _ in false })

  private static func side(_ arguments: FilterArguments, _ key: String, or other: Double) throws -> Double {
    arguments.has(key) ? Double(try arguments.integer(key)) : other
  }

  private static func fitted(_ arguments: FilterArguments, _ extent: Size, most: Double) throws -> (
    Double, Double
  ) {
    let (width, height) = try arguments.size("size").resolved(for: extent)
    let factor = min(most, min(width / Double(extent.width), height / Double(extent.height)))
    return (Double(extent.width) * factor, Double(extent.height) * factor)
  }

  private static let exact: @Sendable (FilterArguments, Size) throws -> (Double, Double)? = {
    try $0.size("size").resolved(for: $1)
  }

  /// By the filter's name. A filter that isn't here is one that somebody has forgotten to think about.
  static let all: [String: Promise] = {
    var all: [String: Promise] = [
      "scale": Promise(size: exact), "fill": Promise(size: exact),
      "pad": Promise(size: exact, keepsPlain: { _ in false }),
      "fit": Promise(size: { try fitted($0, $1, most: .infinity) }),
      "limit": Promise(size: { try fitted($0, $1, most: 1) }),
      "crop": Promise(size: { arguments, extent in
        let area = try arguments.area("area")
        let clips = try arguments.boolean("clip")
        guard clips else { return (Double(area.extent.width), Double(area.extent.height)) }
        guard let origin = area.origin else {
          return (
            Double(min(area.extent.width, extent.width)), Double(min(area.extent.height, extent.height))
          )
        }
        return (
          Double(min(extent.width, origin.x + area.extent.width) - max(0, origin.x)),
          Double(min(extent.height, origin.y + area.extent.height) - max(0, origin.y))
        )
      }),
      "trim": Promise(size: { _, _ in nil }),
      "extend": Promise(
        size: { arguments, extent in
          let top = Double(try arguments.integer("top"))
          let right = try side(arguments, "right", or: top)
          let (bottom, left) = (
            try side(arguments, "bottom", or: top), try side(arguments, "left", or: right)
          )
          return (Double(extent.width) + left + right, Double(extent.height) + top + bottom)
        }, keepsPlain: { try $0.word("mode") != "colour" }),
      "rounded": shaped, "border": shaped,
      "circle": Promise(
        size: { (Double(min($1.width, $1.height)), Double(min($1.width, $1.height))) },
        keepsPlain: { _ in false }),
      "rotate": Promise(
        size: { arguments, extent in
          let angle = try arguments.number("angle")
          guard angle.truncatingRemainder(dividingBy: 90) == 0 else {
            let (c, s) = (abs(cosine(angle * .pi / 180)), abs(sine(angle * .pi / 180)))
            let (width, height) = (Double(extent.width), Double(extent.height))
            return (
              (c * width + s * height - 1e-9).rounded(.up), (s * width + c * height - 1e-9).rounded(.up)
            )
          }
          let turns = angle.truncatingRemainder(dividingBy: 180) != 0
          return (Double(turns ? extent.height : extent.width), Double(turns ? extent.width : extent.height))
        }, keepsPlain: { try $0.number("angle").truncatingRemainder(dividingBy: 90) == 0 }),
      "flip": same, "flop": same,
      "opacity": same, "flatten": same,
      "blur": Promise(
        size: { arguments, extent in
          let growth =
            try arguments.word("edge") == "extend" ? (arguments.number("radius") * 3).rounded(.up) : 0
          return (Double(extent.width) + 2 * growth, Double(extent.height) + 2 * growth)
        }, keepsPlain: { try $0.word("edge") == "clamp" || $0.number("radius") == 0 }),
      "box-blur": Promise(keepsPlain: { try !$0.has("edge") || $0.word("edge") == "clamp" }),
      "median": same, "sharpen": same, "unsharp": same, "pixelate": same, "edges": same,
      "vignette": Promise(keepsPlain: { try $0.number("intensity") == 0 }),
      "overlay": shaped, "text": shaped, "mask": shaped, "transition": shaped,
      "ci:CIGaussianBlur": grown { try ($0.number("inputRadius") * 3).rounded(.up) },
      "ci:CIBoxBlur": grown { try 2 * $0.number("inputRadius").rounded() / 2 },
      "ci:CIVignette": shaped, "ci:CIMaskToAlpha": same, "ci:CIColorMatrix": same,
    ]
    for name in [
      "grayscale", "sepia", "invert", "brightness", "contrast", "saturation", "hue", "gamma", "exposure",
      "tint",
      "duotone", "normalize", "posterize", "threshold", "ci:CIColorControls", "ci:CIExposureAdjust",
      "ci:CIGammaAdjust", "ci:CIHueAdjust", "ci:CIVibrance", "ci:CIWhitePointAdjust", "ci:CISepiaTone",
      "ci:CIColorInvert", "ci:CIColorMonochrome", "ci:CIColorPosterize", "ci:CIPhotoEffectMono",
      "ci:CIPhotoEffectNoir", "ci:CIPhotoEffectTonal", "ci:CIMaximumComponent", "ci:CIMinimumComponent",
    ] { all[name] = tone }
    for name in ["CIMedianFilter", "CISharpenLuminance", "CIUnsharpMask", "CIPixellate", "CIEdges"] {
      all["ci:\(name)"] = same
    }
    return all
  }()
}
