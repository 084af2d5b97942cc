/// The colour that most of a picture is near to: pixels are counted in cubes of 16 levels a side, and the mean of
/// the fullest cube is taken. Transparent pixels count for as much as can be seen of them.
enum DominantColour {
  /// `#rrggbb`.
  static func text(of picture: SmallPicture) -> String {
    struct Cube {
      var weight = 0
      var sums = [0, 0, 0]
    }
    var cubes = [Cube](repeating: Cube(), count: 4096)
    for start in stride(from: 0, to: picture.rgba.count, by: 4) {
      let alpha = Int(picture.rgba[start + 3])
      let numbers = (0..<3).map { Int(picture.rgba[start + $0]) }
      let index = (numbers[0] >> 4) << 8 | (numbers[1] >> 4) << 4 | numbers[2] >> 4
      cubes[index].weight += alpha
      for band in 0..<3 { cubes[index].sums[band] += numbers[band] * alpha }
    }
    // The first of equals, so that the same picture has the same colour always.
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
