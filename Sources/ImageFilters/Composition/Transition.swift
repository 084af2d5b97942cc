import Vips

/// An animation from one image to another of the same size.
struct Transition {
  /// The transition effect.
  enum Kind: String, CaseIterable {
    case crossdissolve
    case flipLeft = "flip-left"
    case flipRight = "flip-right"
    case flipTop = "flip-top"
    case flipBottom = "flip-bottom"
  }

  /// The first image. It has the same size as `target`, and both have alpha.
  let from: VipsImage
  /// The last image.
  let target: VipsImage
  let kind: Kind
  /// The total duration in milliseconds.
  let duration: Int
  /// Frames per second.
  let rate: Int

  /// All frames, stacked as pages. The first is `from`, the last is `target`, and the animation plays once.
  func animation() throws -> VipsImage {
    let count = Self.frameCount(duration: duration, rate: rate)
    let frames = try (0..<count).map { try frame(at: Double($0) / Double(count - 1)) }
    // Formats and players take a frame of less than 10 ms for one without a delay, and show it for 100 ms.
    let duration = max(self.duration, 10 * count)
    // Delays are whole milliseconds. Rounding their running sum makes them add up to the duration.
    let delays = (0..<count).map { (($0 + 1) * duration) / count - ($0 * duration) / count }
    return try VipsImage.stacked(frames).editingMetadata {
      $0.set("page-height", target.height)
      $0.set("delay", delays)
      $0.set("loop", 1)
    }
  }

  /// The number of frames that fit the duration, at least 2.
  static func frameCount(duration: Int, rate: Int) -> Int {
    max(2, Int((Double(duration * rate) / 1000).rounded()))
  }

  /// - Parameter time: From 0 (the first image) to 1 (the last image).
  private func frame(at time: Double) throws -> VipsImage {
    if time <= 0 { return from }
    if time >= 1 { return target }
    // A dissolve is linear. With easing, frames at both ends hardly differ, and WebP's encoder merges them.
    guard kind != .crossdissolve else { return try dissolved(time) }
    // A flip eases in and out, like UIKit's transitions.
    let eased = time * time * (3 - 2 * time)
    let angle = eased * .pi
    return eased < 0.5 ? try turned(from, angle) : try turned(target, angle - .pi)
  }

  private func dissolved(_ amount: Double) throws -> VipsImage {
    let opacity = target.maximum
    let mixed = try from.applying("premultiply", ["max-alpha": .double(opacity)])
      .blended(with: target.applying("premultiply", ["max-alpha": .double(opacity)]), amount: amount)
    return try target.rounding(mixed.applying("unpremultiply", ["max-alpha": .double(opacity)]))
  }

  /// The image rotated about its vertical or horizontal axis, seen from a distance of twice its longer side.
  private func turned(_ image: VipsImage, _ angle: Double) throws -> VipsImage {
    let isLevel = kind == .flipTop || kind == .flipBottom
    let signed = kind == .flipRight || kind == .flipBottom ? angle : -angle
    let (c, s) = (cosine(signed), sine(signed))
    let (width, height) = (Double(image.width), Double(image.height))
    let distance = 2 * max(width, height)
    let places = try VipsOperation("xyz", ["width": .integer(image.width), "height": .integer(image.height)])
      .image().linear([1, 1], [0.5 - width / 2, 0.5 - height / 2])
    let x = try places.extractingBands(from: 0, count: 1)
    let y = try places.extractingBands(from: 1, count: 1)
    let (along, across) = isLevel ? (y, x) : (x, y)
    // `mapim` needs the inverse: from a position on the screen to the position on the rotated image.
    let u = try along.linear([distance], [0]).combined("divide", with: along.linear([-s], [distance * c]))
    let v = try across.combined("multiply", with: u.linear([s / distance], [1]))
    let (fromX, fromY) = isLevel ? (v, u) : (u, v)
    // A transparent pixel around the image anti-aliases its edges.
    let map = try fromX.linear([1], [width / 2 + 0.5]).joiningBands([fromY.linear([1], [height / 2 + 0.5])])
    return try image.mixingPixels { pixels in
      try pixels.embedded(x: 1, y: 1, width: pixels.width + 2, height: pixels.height + 2)
        .applying(
          "mapim", ["index": .image(map), "interpolate": .interpolator("bilinear"), "premultiplied": true])
    }
  }
}
