import ImageFilters

/// BlurHash (https://github.com/woltapp/blurhash/blob/master/Algorithm.md): DCT components in base 83.
enum BlurHash {
  private static let digits = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~")

  /// Encodes 4 by 3 components, or 3 by 4 for a portrait image.
  static func text(of image: ThumbnailPixels) -> String {
    let (across, down) = image.height > image.width ? (3, 4) : (4, 3)
    var factors: [[Double]] = []
    for row in 0..<down {
      for column in 0..<across { factors.append(factor(column, row, of: image)) }
    }
    let waves = factors.dropFirst()
    let largest = waves.flatMap { $0 }.map(abs).max() ?? 0
    let quantised = max(0, min(82, Int((largest * 166 - 0.5).rounded(.down))))
    let maximum = waves.isEmpty ? 1 : Double(quantised + 1) / 166
    var text = encoded((across - 1) + (down - 1) * 9, length: 1)
    text += encoded(waves.isEmpty ? 0 : quantised, length: 1)
    let mean = factors[0].map(ThumbnailPixels.encoded)
    text += encoded(mean[0] << 16 | mean[1] << 8 | mean[2], length: 4)
    for wave in waves {
      let parts = wave.map { value -> Int in
        let ratio = value / maximum
        let root = (ratio < 0 ? -1 : 1) * abs(ratio).squareRoot()
        return max(0, min(18, Int((root * 9 + 9.5).rounded(.down))))
      }
      text += encoded(parts[0] * 361 + parts[1] * 19 + parts[2], length: 2)
    }
    return text
  }

  /// One DCT component in linear light. Transparent pixels are composited on black.
  private static func factor(_ column: Int, _ row: Int, of image: ThumbnailPixels) -> [Double] {
    var sums = [0.0, 0.0, 0.0]
    let across = (0..<image.width).map {
      cosine(.pi * Double(column) * Double($0) / Double(image.width))
    }
    for y in 0..<image.height {
      let down = cosine(.pi * Double(row) * Double(y) / Double(image.height))
      for x in 0..<image.width {
        let start = (y * image.width + x) * 4
        let weight = across[x] * down * Double(image.rgba[start + 3]) / 255
        for band in 0..<3 { sums[band] += weight * ThumbnailPixels.light[Int(image.rgba[start + band])] }
      }
    }
    let scale = (column == 0 && row == 0 ? 1.0 : 2.0) / Double(image.width * image.height)
    return sums.map { $0 * scale }
  }

  private static func encoded(_ value: Int, length: Int) -> String {
    var rest = value
    var text: [Character] = []
    for _ in 0..<length {
      text.append(digits[rest % 83])
      rest /= 83
    }
    return String(text.reversed())
  }
}
