import ImageFilters

/// ThumbHash (https://evanw.github.io/thumbhash/): DCT components of lightness, two color differences and alpha in
/// about 25 bytes.
enum ThumbHash {
  /// - Parameter image: At most 100 by 100 pixels.
  static func bytes(of image: ThumbnailPixels) -> [UInt8] {
    let (width, height) = (image.width, image.height)
    let count = width * height
    // Transparent pixels are composited on the mean color of the visible ones.
    var mean = [0.0, 0.0, 0.0]
    var opacity = 0.0
    for start in stride(from: 0, to: count * 4, by: 4) {
      let alpha = Double(image.rgba[start + 3]) / 255
      for band in 0..<3 { mean[band] += alpha / 255 * Double(image.rgba[start + band]) }
      opacity += alpha
    }
    if opacity > 0 { mean = mean.map { $0 / opacity } }
    let hasAlpha = opacity < Double(count)
    let limit = hasAlpha ? 5 : 7
    let longest = Double(max(width, height))
    let across = max(1, Int((Double(limit * width) / longest).rounded()))
    let down = max(1, Int((Double(limit * height) / longest).rounded()))

    var channels = [[Double]](repeating: [], count: 4)
    for start in stride(from: 0, to: count * 4, by: 4) {
      let alpha = Double(image.rgba[start + 3]) / 255
      let color = (0..<3).map { mean[$0] * (1 - alpha) + alpha / 255 * Double(image.rgba[start + $0]) }
      channels[0].append((color[0] + color[1] + color[2]) / 3)
      channels[1].append((color[0] + color[1]) / 2 - color[2])
      channels[2].append(color[0] - color[1])
      channels[3].append(alpha)
    }
    let light = Waves(channels[0], width, height, max(3, across), max(3, down))
    let yellowBlue = Waves(channels[1], width, height, 3, 3)
    let redGreen = Waves(channels[2], width, height, 3, 3)

    let isLandscape = width > height
    let header24 =
      rounded(63 * light.mean) | rounded(31.5 + 31.5 * yellowBlue.mean) << 6
      | rounded(31.5 + 31.5 * redGreen.mean) << 12 | rounded(31 * light.scale) << 18
      | (hasAlpha ? 1 << 23 : 0)
    let header16 =
      (isLandscape ? down : across) | rounded(63 * yellowBlue.scale) << 3 | rounded(63 * redGreen.scale) << 9
      | (isLandscape ? 1 << 15 : 0)
    var bytes = [header24, header24 >> 8, header24 >> 16, header16, header16 >> 8].map { UInt8($0 & 255) }
    var waves = [light, yellowBlue, redGreen]
    if hasAlpha {
      let alpha = Waves(channels[3], width, height, 5, 5)
      bytes.append(UInt8(rounded(15 * alpha.mean) | rounded(15 * alpha.scale) << 4))
      waves.append(alpha)
    }
    // Four bits per component.
    let halves = waves.flatMap { $0.parts }.map { rounded(15 * $0) }
    for index in stride(from: 0, to: halves.count, by: 2) {
      bytes.append(UInt8(halves[index] | (index + 1 < halves.count ? halves[index + 1] << 4 : 0)))
    }
    return bytes
  }

  private static func rounded(_ value: Double) -> Int { Int(value.rounded(.toNearestOrAwayFromZero)) }

  /// One channel's mean, its DCT components scaled to 0 to 1, and their scale.
  private struct Waves {
    var mean = 0.0
    var parts: [Double] = []
    var scale = 0.0

    init(_ channel: [Double], _ width: Int, _ height: Int, _ across: Int, _ down: Int) {
      for row in 0..<down {
        var column = 0
        while column * down < across * (down - row) {
          let columns = (0..<width).map {
            cosine(.pi / Double(width) * Double(column) * (Double($0) + 0.5))
          }
          var sum = 0.0
          for y in 0..<height {
            let factor = cosine(.pi / Double(height) * Double(row) * (Double(y) + 0.5))
            for x in 0..<width { sum += channel[x + y * width] * columns[x] * factor }
          }
          sum /= Double(width * height)
          if column > 0 || row > 0 {
            parts.append(sum)
            scale = max(scale, abs(sum))
          } else {
            mean = sum
          }
          column += 1
        }
      }
      if scale > 0 { parts = parts.map { 0.5 + 0.5 / scale * $0 } }
    }
  }
}
