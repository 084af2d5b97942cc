import TestSupport
import Testing
import Vips

@testable import ImageFilters

/// Where things go, against loops over pixels.
@Suite("Places", .timeLimit(.minutes(8)))
struct PlacementTests {
  /// Where a thing of one length begins on a line of another, for the nine places.
  private static func start(_ place: Gravity.Place, _ length: Int, _ line: Int, isRow: Bool) -> Int {
    let name = place.rawValue
    let (least, most) = isRow ? ("north", "south") : ("west", "east")
    if name.contains(least) { return 0 }
    if name.contains(most) { return line - length }
    // The middle, nearer to the beginning.
    return Int((Double(line - length) / 2).rounded(.down))
  }

  @Test("a crop keeps what gravity says, for every place and size", arguments: Gravity.Place.allCases)
  func crop(place: Gravity.Place) throws {
    let raster = Raster.noise(13, 9, seed: 1)
    for (width, height) in [(1, 1), (5, 4), (6, 9), (13, 3), (12, 8), (13, 9)] {
      let result = try applied("crop:\(width)x\(height):\(place.rawValue)", to: raster)
      let x = Self.start(place, width, 13, isRow: false)
      let y = Self.start(place, height, 9, isRow: true)
      let expected = Raster(width: width, height: height, bands: 3) { raster[$0 + x, $1 + y, $2] }
      #expect(result.distance(to: expected) == 0, "\(width)x\(height)")
    }
  }

  @Test("an area is those pixels, wherever it lies inside")
  func areas() throws {
    let raster = Raster.noise(7, 6, bands: 4, clear: true, seed: 2)
    for x in 0..<7 {
      for y in 0..<6 {
        for (width, height) in [(1, 1), (7 - x, 6 - y)] {
          let result = try applied("crop:\(width)x\(height)+\(x)+\(y)", to: raster)
          let expected = Raster(width: width, height: height, bands: 4) { raster[$0 + x, $1 + y, $2] }
          #expect(result.values == expected.values, "\(width)x\(height)+\(x)+\(y)")
        }
      }
    }
    for area in ["8x1", "1x7", "1x1+7+0", "1x1+0+6", "1x1-1+0", "1x1+0-1", "7x6+1+0"] {
      #expect(throws: FilterError.self, "\(area)") { try applied("crop:\(area)", to: raster) }
    }
  }

  @Test("a focal point comes as near to the middle as the edges allow")
  func focus() throws {
    let raster = Raster(width: 20, height: 1, bands: 3) { x, _, _ in Double(x) }
    for (x, first) in [(0.0, 0), (0.1, 0), (0.2, 2), (0.5, 8), (0.55, 9), (0.9, 16), (1, 16)] {
      let result = try applied("crop:4x1:\(Number.text(x))x0.5", to: raster)
      #expect(result.values.first == Double(first), "\(x)")
    }
  }

  @Test("an image is put on a canvas where gravity says", arguments: Gravity.Place.allCases)
  func pad(place: Gravity.Place) throws {
    let raster = Raster.noise(6, 4, seed: 3)
    for (width, height) in [(6, 11), (15, 4), (6, 4)] {
      let (left, top) = (
        Self.start(place, 6, width, isRow: false), Self.start(place, 4, height, isRow: true)
      )
      for (background, opaque) in [("#102030", true), ("transparent", false)] {
        let result = try applied("pad:\(width)x\(height):\(background):\(place.rawValue)", to: raster)
        let expected = Raster(width: width, height: height, bands: opaque ? 3 : 4) { x, y, band in
          let isInside = (0..<6).contains(x - left) && (0..<4).contains(y - top)
          if isInside { return band == 3 ? 255 : raster[x - left, y - top, band] }
          return opaque ? [16, 32, 48][band] : 0
        }
        let isCovered = width == 6 && height == 4
        if opaque || !isCovered {
          #expect(result.values == expected.values, "\(background) \(width)x\(height)")
        }
      }
    }
  }

  @Test(
    "an overlay is put where gravity says, and moves inwards from there", arguments: Gravity.Place.allCases)
  func overlay(place: Gravity.Place) throws {
    let base = Raster.noise(14, 11, seed: 4)
    let layer = Raster.noise(5, 3, seed: 5)
    let image = try layer.image()
    let context = FilterContext { (_: String) throws(FilterError) -> VipsImage in image }
    for (dx, dy) in [(0, 0), (2, 1), (-3, -2), (20, 0)] {
      let result = try applied("overlay:x:\(place.rawValue):\(dx):\(dy)", to: base, context: context)
      let isEast = place.rawValue.contains("east")
      let isSouth = place.rawValue.contains("south")
      let left = Self.start(place, 5, 14, isRow: false) + (isEast ? -dx : dx)
      let top = Self.start(place, 3, 11, isRow: true) + (isSouth ? -dy : dy)
      let expected = base.map { x, y, band in
        (0..<5).contains(x - left) && (0..<3).contains(y - top)
          ? layer[x - left, y - top, band] : base[x, y, band]
      }
      #expect(result.distance(to: expected) <= 1, "\(dx) \(dy)")
    }
  }

  @Test("tiles cover everything from where the first is put")
  func tiles() throws {
    let base = Raster.noise(17, 13, seed: 6)
    let layer = Raster.noise(5, 3, seed: 7)
    let image = try layer.image()
    let context = FilterContext { (_: String) throws(FilterError) -> VipsImage in image }
    for (dx, dy) in [(0, 0), (1, 2), (-1, -2), (7, 4), (-8, 9)] {
      let result = try applied("overlay:x:northwest:\(dx):\(dy):tile=true", to: base, context: context)
      let expected = base.map { x, y, band in layer[((x - dx) % 5 + 5) % 5, ((y - dy) % 3 + 3) % 3, band] }
      #expect(result.distance(to: expected) <= 1, "\(dx) \(dy)")
    }
  }

  @Test(
    "a border is made of what is asked for",
    arguments: ["#ff8000", "#ff800080", "transparent", "copy", "mirror"])
  func extend(mode: String) throws {
    for bands in [3, 4] {
      let raster = Raster.noise(6, 5, bands: bands, clear: true, seed: 8)
      let isColor = mode != "copy" && mode != "mirror"
      let result = try applied("extend:2:3:4:1:\(isColor ? "background=" : "mode=")\(mode)", to: raster)
      let color = Color(mode)
      let hasAlpha = bands == 4 || color.map { $0.alpha < 255 } == true
      let expected = Raster(width: 10, height: 11, bands: hasAlpha ? 4 : 3) { x, y, band in
        let (column, row) = (x - 1, y - 2)
        if (0..<6).contains(column), (0..<5).contains(row) {
          return band == 3 && bands == 3 ? 255 : raster[column, row, band]
        }
        if let color {
          return [Double(color.red), Double(color.green), Double(color.blue), Double(color.alpha)][band]
        }
        func mirrored(_ place: Int, _ count: Int) -> Int {
          place < 0 ? -1 - place : place >= count ? 2 * count - 1 - place : place
        }
        return mode == "copy"
          ? raster[column, row, band] : raster[mirrored(column, 6), mirrored(row, 5), band]
      }
      #expect(result.values == expected.values, "\(bands) bands")
    }
  }

  @Test("a frame of one color is trimmed, whatever its sides, and what is inside stays")
  func trim() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for _ in 0..<40 {
      let margins = (0..<4).map { _ in Int.random(in: 0...6, using: &random) }
      let (width, height) = (Int.random(in: 4...12, using: &random), Int.random(in: 4...12, using: &random))
      let frame = (0..<3).map { _ in Double(Int.random(in: 0...60, using: &random)) }
      // Everything inside is far from the frame.
      let inner = Raster.noise(width, height, seed: random.next()).mapColors { $0.map { 120 + $0 / 2 } }
      let image = Raster(
        width: width + margins[0] + margins[1], height: height + margins[2] + margins[3], bands: 3
      ) { x, y, band in
        let (column, row) = (x - margins[0], y - margins[2])
        return (0..<width).contains(column) && (0..<height).contains(row)
          ? inner[column, row, band].rounded(.down) : frame[band]
      }
      // The frame's color is the first pixel's, or one that is given.
      let color = Color(red: UInt8(frame[0]), green: UInt8(frame[1]), blue: UInt8(frame[2])).identifier
      let chains = margins[0] > 0 || margins[2] > 0 ? ["trim", "trim:40:\(color)"] : ["trim:10:\(color)"]
      for chain in chains {
        let result = try applied(chain, to: image)
        let expected = Raster(width: width, height: height, bands: 3) { inner[$0, $1, $2].rounded(.down) }
        #expect(result.distance(to: expected) == 0, "seed \(seed): \(margins) \(width)x\(height) \(chain)")
      }
    }
  }

  @Test("a threshold says how far a color may be from the border's")
  func threshold() throws {
    let raster = Raster(width: 12, height: 12, bands: 3) { x, y, _ in
      (4..<8).contains(x) && (4..<8).contains(y) ? 200 : (2..<10).contains(x) && (2..<10).contains(y) ? 30 : 0
    }
    for (threshold, side) in [(0, 8), (10, 8), (29, 8), (31, 4), (100, 4), (199, 4), (201, 12)] {
      #expect(try applied("trim:\(threshold)", to: raster).width == side, "\(threshold)")
    }
  }
}
