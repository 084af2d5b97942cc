import Vips

/// An animation from one picture to another, of one size.
struct Transition {
  /// How the one becomes the other.
  enum Kind: String, CaseIterable {
    case crossdissolve
    case flipLeft = "flip-left"
    case flipRight = "flip-right"
    case flipTop = "flip-top"
    case flipBottom = "flip-bottom"
  }

  /// The picture at the beginning; as large as the other, both with an alpha.
  let from: VipsImage
  /// The picture at the end.
  let target: VipsImage
  let kind: Kind
  /// In milliseconds.
  let duration: Int
  /// Frames in a second.
  let rate: Int

  /// All frames under one another: as many as the duration has room for, but two at least; the first is the picture
  /// at the beginning, the last the one at the end. They are played once.
  func animation() throws -> VipsImage {
    let count = Self.frameCount(duration: duration, rate: rate)
    let frames = try (0..<count).map { try frame(at: Double($0) / Double(count - 1)) }
    // Delays are whole milliseconds whose sum is the duration.
    let delays = (0..<count).map { (($0 + 1) * duration) / count - ($0 * duration) / count }
    return try VipsImage.stacked(frames).editingMetadata {
      $0.set("page-height", target.height)
      $0.set("delay", delays)
      $0.set("loop", 1)
    }
  }

  /// As many frames as the duration has room for, but two at least.
  static func frameCount(duration: Int, rate: Int) -> Int {
    max(2, Int((Double(duration * rate) / 1000).rounded()))
  }

  /// - Parameter time: 0 to 1.
  private func frame(at time: Double) throws -> VipsImage {
    if time <= 0 { return from }
    if time >= 1 { return target }
    // A dissolve goes evenly: WebP's encoder makes one frame of two that hardly differ.
    guard kind != .crossdissolve else { return try dissolved(time) }
    // A flip is slow at both ends, as UIKit's transitions are.
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

  /// A picture turned about its upright or level axis and seen from two widths away.
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
    // From a place on the screen back to the place on the turned picture.
    let u = try along.linear([distance], [0]).combined("divide", with: along.linear([-s], [distance * c]))
    let v = try across.combined("multiply", with: u.linear([s / distance], [1]))
    let (fromX, fromY) = isLevel ? (v, u) : (u, v)
    // One transparent pixel round the picture, so that its edges are smooth.
    let map = try fromX.linear([1], [width / 2 + 0.5]).joiningBands([fromY.linear([1], [height / 2 + 0.5])])
    return try image.mixingPixels { picture in
      try picture.embedded(x: 1, y: 1, width: picture.width + 2, height: picture.height + 2)
        .applying(
          "mapim", ["index": .image(map), "interpolate": .interpolator("bilinear"), "premultiplied": true])
    }
  }
}
