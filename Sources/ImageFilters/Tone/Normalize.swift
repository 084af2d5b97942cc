import Vips

/// `normalize`: stretches the tones to the full range, scaling all channels alike.
enum Normalize {
  static func apply(_ pass: FilterPass) throws -> VipsImage {
    let image = pass.image
    let white = image.maximum
    let luma = try image.colors().weighed(Luma.rec709).linear([255 / white], [0.5]).cast(to: .uchar)
    // Weight each pixel by its alpha, so that the colors of transparent pixels don't matter.
    let sight = try (image.alpha() ?? luma.linear([0], [white])).linear([1 / white], [0])
    let sums = try sight.applying("hist_find_indexed", ["index": .image(luma)]).cast(to: .double).pixels()
    let counts = sums.withUnsafeBytes { Array($0.bindMemory(to: Double.self)) }
    let edge = max(1, counts.reduce(0, +) / 100)
    guard let low = reaching(edge, counts), let fromEnd = reaching(edge, counts.reversed()) else {
      return image
    }
    let high = counts.count - 1 - fromEnd
    guard high > low else { return image }
    let factor = 255 / Double(high - low)
    return try FilterPass(image: image, arguments: pass.arguments, context: pass.context).toning {
      try $0.linear([factor], [-Double(low) / 255 * factor])
    }
  }

  /// The first index at which the cumulative count reaches `wanted`.
  private static func reaching(_ wanted: Double, _ counts: some Sequence<Double>) -> Int? {
    var total = 0.0
    for (index, count) in counts.enumerated() {
      total += count
      if total >= wanted { return index }
    }
    return nil
  }
}
