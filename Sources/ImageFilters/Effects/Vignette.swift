import Vips

/// Darkens the image from `start` (not at all) to `end` (fully), where 0 is the center and 1 the corners.
struct Vignette {
  let intensity: Double
  let start: Double
  let end: Double

  func apply(_ pass: FilterPass) throws -> VipsImage {
    let image = pass.image
    if intensity == 0 { return image }
    // Distances from the center, in half diagonals.
    let (width, height) = (Double(image.width), Double(image.height))
    let half = ((width * width + height * height).squareRoot()) / 2
    let places = try VipsOperation("xyz", ["width": .integer(image.width), "height": .integer(image.height)])
      .image().linear([1 / half, 1 / half], [(0.5 - width / 2) / half, (0.5 - height / 2) / half])
    let x = try places.extractingBands(from: 0, count: 1)
    let y = try places.extractingBands(from: 1, count: 1)
    let distance = try x.combined("multiply", with: x).combined("add", with: y.combined("multiply", with: y))
      .raised(to: 0.5)
    let room = max(1e-6, end - start)
    let part = try distance.linear([1 / room], [-start / room]).clamped(0, 1)
    // Smoothstep: 3t² - 2t³.
    let smooth = try part.combined("multiply", with: part).combined("multiply", with: part.linear([-2], [3]))
    let factor = try smooth.linear([-intensity], [1])
    return try pass.toning { try $0.combined("multiply", with: factor) }
  }
}
