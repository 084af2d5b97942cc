import Foundation
import Testing
import Vips

@testable import ImageRendering

@Suite("JPEGs that are shrunk while they are decoded", .timeLimit(.minutes(8)))
struct ShrinkOnLoadTests {
  private let fixture: RenderingFixture

  init() throws { fixture = try RenderingFixture() }

  /// Waves that are nine pixels long after a reduction by `factor`, so that a shift of a tenth of a pixel differs by 8.
  private static func waves(_ width: Int, _ height: Int, factor: Double) throws -> VipsImage {
    let length = 9 * factor / (2 * Double.pi)
    var pixels: [UInt8] = []
    pixels.reserveCapacity(width * height * 3)
    for y in 0..<height {
      for x in 0..<width {
        let (u, v) = (Double(x) / length, Double(y) / length)
        for value in [sin(u), cos(v), sin((u + v) / 2)] { pixels.append(UInt8(127 + 120 * value)) }
      }
    }
    return try VipsImage(pixels: pixels, width: width, height: height, bands: 3, interpretation: .sRGB)
  }

  /// Widths around every factor at which the decoder or the resampler changes its way: 1.5, 2, 3, 4, 6, 8, 12 and 16.
  static let widths = [
    800, 600, 533, 532, 450, 401, 400, 399, 300, 267, 266, 250, 201, 200, 199, 160, 134, 133, 101, 100, 99,
    80, 67, 66,
    51, 50, 49, 40,
  ]

  @Test("look as if they were decoded whole and reduced by libvips' Lanczos kernel alone", arguments: widths)
  func likeWholeDecode(width: Int) throws {
    let (stored, height) = ((width: 803, height: 605), Int((605.0 * Double(width) / 803).rounded()))
    let waves = try Self.waves(stored.width, stored.height, factor: 803 / Double(width))
    let source = try fixture.save(waves, "jpegsave", "a.jpg", ["Q": 97, "subsample-mode": "off"])
    let recipe = try fixture.recipe(1, "scale:\(width)x\(height)", "png")
    let response = Renderer().render(try fixture.request(source, [recipe]))
    try #require(response.file(1) != nil, "\(response)")
    let result = try fixture.open(recipe.temporaryPath)
    let whole = try fixture.open(source).applying(
      "resize",
      [
        "scale": .double(Double(width) / 803), "vscale": .double(Double(height) / 605), "kernel": "lanczos3",
        "gap": 0,
      ])
    try #require(result.width == whole.width && result.height == whole.height)
    let difference = try result.combined("subtract", with: whole).applying("abs")
    // libvips repeats the edge where the decoder pads it.
    let inside = try difference.cropped(x: 2, y: 2, width: width - 4, height: height - 4)
    let (mean, worst) = (try inside.measuring("avg"), try inside.measuring("max"))
    // A shift of a tenth of a pixel differs by 5 on average. The averages of the decoder weaken the waves a little.
    #expect(mean < 2.5 && worst <= 10, "mean \(mean), worst \(worst)")
  }
}
