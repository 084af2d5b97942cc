/// The dominant color of an image: the mean of the fullest bin of a color histogram of 16 by 16 by 16 bins. Pixels
/// are weighted by their alpha.
enum DominantColor {
  /// `#rrggbb`.
  static func text(of image: ThumbnailPixels) -> String {
    struct Cube {
      var weight = 0
      var sums = [0, 0, 0]
    }
    var cubes = [Cube](repeating: Cube(), count: 4096)
    for start in stride(from: 0, to: image.rgba.count, by: 4) {
      let alpha = Int(image.rgba[start + 3])
      let numbers = (0..<3).map { Int(image.rgba[start + $0]) }
      let index = (numbers[0] >> 4) << 8 | (numbers[1] >> 4) << 4 | numbers[2] >> 4
      cubes[index].weight += alpha
      for band in 0..<3 { cubes[index].sums[band] += numbers[band] * alpha }
    }
    // On a tie the first bin wins, so that the result is deterministic.
    var fullest = Cube()
    for cube in cubes where cube.weight > fullest.weight { fullest = cube }
    guard fullest.weight > 0 else { return "#000000" }
    return "#"
      + fullest.sums.map { sum in
        let text = String((sum + fullest.weight / 2) / fullest.weight, radix: 16)
        return text.count < 2 ? "0" + text : text
      }.joined()
  }
}
