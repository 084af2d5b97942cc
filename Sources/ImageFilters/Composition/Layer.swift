import Vips

/// An image to be composed over another.
struct Layer {
  let image: VipsImage
  let pass: FilterPass
  let blend: String

  /// The blend modes of a chain (W3C Compositing and Blending 1).
  static let blends = [
    "over", "multiply", "screen", "overlay", "darken", "lighten", "add", "colour-dodge", "colour-burn",
    "hard-light",
    "soft-light", "difference", "exclusion",
  ]

  /// The filtered image with this layer over it. The result has alpha only if the filtered image has it.
  func composed(tiled: Bool) throws -> VipsImage {
    let base = pass.image
    let gravity = try pass.arguments.gravity("gravity")
    var (x, y) = (
      Self.place(gravity, image.width, base.width, \.x, try pass.arguments.integer("x")),
      Self.place(gravity, image.height, base.height, \.y, try pass.arguments.integer("y"))
    )
    var layer = try image.addingAlpha()
    if layer.format != base.format { layer = try Self.matching(layer, base) }
    let opacity = try pass.arguments.number("opacity")
    if opacity < 1, let alpha = try layer.alpha() {
      layer = try layer.replacingAlpha(alpha.linear([opacity], [0.5]).cast(to: layer.format))
    }
    if tiled {
      let (left, top) = (Self.remainder(x, layer.width), Self.remainder(y, layer.height))
      let (across, down) = (
        (base.width + left) / layer.width + 1, (base.height + top) / layer.height + 1
      )
      layer = try pass.context.storage.keeping(layer).applying(
        "replicate", ["across": .integer(across), "down": .integer(down)])
      (x, y) = (-left, -top)
    }
    if base.hasAlpha, Self.coversPart(layer, of: base, x, y) {
      // Composing removes the colors of transparent pixels. libvips leaves that out for pieces without the
      // layer, and which pieces it computes depends on the next filter. With a layer everywhere, the result
      // doesn't.
      layer = try layer.embedded(x: x, y: y, width: base.width, height: base.height)
      (x, y) = (0, 0)
    }
    let composed = try VipsOperation(
      "composite2",
      [
        "base": .image(base.addingAlpha()), "overlay": .image(layer), "mode": .nick(blend),
        "x": .integer(x), "y": .integer(y),
        "compositing-space": .nick(base.interpretation.rawValue),
      ]
    ).image()
    let rounded = try base.rounding(composed)
    return base.hasAlpha ? rounded : try rounded.extractingBands(from: 0, count: base.bands)
  }

  /// Whether a layer at a position covers some of the base's pixels, but not all.
  private static func coversPart(_ layer: VipsImage, of base: VipsImage, _ x: Int, _ y: Int) -> Bool {
    let (right, bottom) = (x + layer.width, y + layer.height)
    guard x < base.width, y < base.height, right > 0, bottom > 0 else { return false }
    return x > 0 || y > 0 || right < base.width || bottom < base.height
  }

  /// Converts an image to the bit depth of another.
  static func matching(_ image: VipsImage, _ other: VipsImage) throws(VipsError) -> VipsImage {
    try image.linear([other.maximum / image.maximum], [0.5]).cast(to: other.format)
      .copied(["interpretation": .nick(other.interpretation.rawValue)])
  }

  /// The position of the layer's first pixel along an axis. At the right or bottom edge the offset points inward.
  private static func place(
    _ gravity: Gravity, _ length: Int, _ line: Int, _ axis: KeyPath<(x: Double, y: Double), Double>,
    _ offset: Int
  ) -> Int {
    let origin = Int(gravity.origin(of: Double(length), along: Double(line), axis: axis).rounded(.down))
    if case .place(let place) = gravity, place.fractions[keyPath: axis] == 1 { return origin - offset }
    return origin + offset
  }

  /// The distance before the edge at which the first tile starts.
  private static func remainder(_ place: Int, _ length: Int) -> Int {
    let rest = place % length
    return rest > 0 ? length - rest : -rest
  }
}
