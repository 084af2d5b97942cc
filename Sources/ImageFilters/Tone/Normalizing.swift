import Vips

/// `normalize`: tones spread over the whole range, the colours kept in proportion.
enum Normalizing {
  static func apply(_ pass: FilterPass) throws -> VipsImage {
    // The tones are counted before the first is changed, so that the pixels must be there twice.
    let image = try pass.image.materialized()
    let white = image.maximum
    let luma = try image.colours().weighed(Luma.rec709).linear([255 / white], [0.5]).cast(to: .uchar)
    let histogram = try luma.applying("hist_find").pixels()
    let counts = stride(from: 0, to: histogram.count, by: 4).map { start in
      histogram[start..<start + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
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

  /// The first place up to which there are so many.
  private static func reaching(_ wanted: Int, _ counts: some Sequence<Int>) -> Int? {
    var total = 0
    for (index, count) in counts.enumerated() {
      total += count
      if total >= wanted { return index }
    }
    return nil
  }
}
