import Testing
import Vips

@testable import ImageFilters

@Suite("Orientation", .timeLimit(.minutes(8)))
struct OrientationTests {
  private let raster = Raster.noise(5, 3, bands: 4, clear: true, seed: 11)

  /// Where a pixel of the result comes from.
  private func check(
    _ result: Raster, _ width: Int, _ height: Int, _ source: (Int, Int) -> (Int, Int), _ label: Comment
  ) {
    let expected = Raster(width: width, height: height, bands: 4) { x, y, band in
      let (column, row) = source(x, y)
      return raster[column, row, band]
    }
    #expect(result.width == width && result.values == expected.values, label)
  }

  @Test("turns and reflections move each pixel to its place")
  func moves() throws {
    check(try applied("flip", to: raster), 5, 3, { ($0, 2 - $1) }, "flip")
    check(try applied("flop", to: raster), 5, 3, { (4 - $0, $1) }, "flop")
    check(try applied("rotate:90", to: raster), 3, 5, { ($1, 2 - $0) }, "rotate:90")
    check(try applied("rotate:180", to: raster), 5, 3, { (4 - $0, 2 - $1) }, "rotate:180")
    check(try applied("rotate:270", to: raster), 3, 5, { (4 - $1, $0) }, "rotate:270")
    check(try applied("rotate:360", to: raster), 5, 3, { ($0, $1) }, "rotate:360")
  }

  @Test(
    "they are the group of a rectangle's symmetries",
    arguments: [
      ("flip,flip", ""), ("flop,flop", ""), ("flip,flop", "rotate:180"),
      ("rotate:90,rotate:90", "rotate:180"),
      ("rotate:90,rotate:180", "rotate:-90"), ("rotate:90,flip", "flop,rotate:90"),
      ("rotate:90,flop", "flip,rotate:90"),
      ("flip,rotate:90,flip", "rotate:-90"), ("rotate:90,rotate:90,rotate:90,rotate:90", ""),
    ])
  func group(left: String, right: String) throws {
    for deep in [false, true] {
      #expect(
        try applied(left, to: raster, deep: deep).values == applied(right, to: raster, deep: deep).values)
    }
  }

  @Test(
    "a tag of EXIF is followed first, and gone then",
    arguments: [
      (1, ""), (2, "flop"), (3, "rotate:180"), (4, "flip"), (5, "rotate:90,flop"), (6, "rotate:90"),
      (7, "rotate:270,flop"), (8, "rotate:270"),
    ])
  func tags(orientation: Int, chain: String) throws {
    let tagged = try raster.image().editingMetadata { $0.set("orientation", orientation) }
    let upright = try tagged.upright()
    #expect(upright.orientation == 1 && !upright.hasField("orientation"))
    #expect(try Raster(upright).values == applied(chain, to: raster).values)
    // Any filter sees it upright.
    let cropped = try FilterChain(parsing: "crop:2x2+0+0").apply(to: tagged)
    #expect(
      try Raster(cropped).values
        == applied(chain + (chain.isEmpty ? "" : ",") + "crop:2x2+0+0", to: raster).values)
  }

  @Test("pages are turned one by one", arguments: 1...8)
  func pages(orientation: Int) throws {
    let other = Raster.noise(5, 3, bands: 4, clear: true, seed: 12)
    let tall = try VipsImage.stacked([raster.image(), other.image()]).editingMetadata { editor in
      editor.set("page-height", 3)
      editor.set("orientation", orientation)
    }
    let upright = try tall.upright()
    let single = try [raster, other].map {
      try $0.image().editingMetadata { $0.set("orientation", orientation) }.upright()
    }
    #expect(upright.pageCount == 2 && upright.pageHeight == single[0].height)
    #expect(try upright.pixels() == single.flatMap { try $0.pixels() })
    #expect(!upright.hasField("orientation"))
  }

  @Test("a turn by another angle keeps the middle, and fills the corners")
  func angles() throws {
    // Symmetric under a quarter turn, so that its middle stays whatever the angle.
    let disc = Raster(width: 41, height: 41, bands: 3) { x, y, band in
      let distance = Double((x - 20) * (x - 20) + (y - 20) * (y - 20)).squareRoot()
      return band == 0 ? max(0, 255 - distance * 8) : 100
    }
    for angle in [10, 45, 100, 200.5, -33] {
      let turned = try applied("rotate:\(angle):#0000ff", to: disc)
      var (x, y, total) = (0.0, 0.0, 0.0)
      for row in 0..<turned.height {
        for column in 0..<turned.width {
          x += (Double(column) + 0.5) * turned[column, row, 0]
          y += (Double(row) + 0.5) * turned[column, row, 0]
          total += turned[column, row, 0]
        }
      }
      #expect(
        abs(x / total - Double(turned.width) / 2) < 0.1 && abs(y / total - Double(turned.height) / 2) < 0.1,
        "\(angle)")
      // libvips has no corner of the canvas inside of the turned image at these angles.
      #expect(turned[0, 0, 2] >= 254 && turned[turned.width - 1, turned.height - 1, 2] >= 254, "\(angle)")
      let clear = try applied("rotate:\(angle)", to: disc)
      #expect(
        clear.bands == 4 && clear[0, 0, 3] == 0 && clear[clear.width / 2, clear.height / 2, 3] == 255,
        "\(angle)")
    }
  }

  @Test("a turn goes clockwise, and there and back is where it was")
  func direction() throws {
    // A bright spot to the right of the middle.
    let spot = Raster(width: 61, height: 61, bands: 3) { x, y, _ in
      abs(x - 50) <= 3 && abs(y - 30) <= 3 ? 255 : 0
    }
    for (angle, dx, dy) in [(90.0, 0.0, 1.0), (45, 0.7071, 0.7071), (30, 0.866, 0.5), (-45, 0.7071, -0.7071)]
    {
      let turned = try applied("rotate:\(Number.text(angle)):black", to: spot)
      let (x, y) = (
        Int(Double(turned.width) / 2 + 20 * dx), Int(Double(turned.height) / 2 + 20 * dy)
      )
      #expect(turned[x, y, 0] > 200, "\(angle)")
      #expect(turned[turned.width - 1 - x, turned.height - 1 - y, 0] < 50, "\(angle)")
    }
    let there = try applied("rotate:30:black,rotate:-30:black,crop:61x61", to: spot)
    #expect(there[50, 30, 0] > 220 && there[10, 30, 0] < 20 && there[30, 50, 0] < 20)
  }
}
