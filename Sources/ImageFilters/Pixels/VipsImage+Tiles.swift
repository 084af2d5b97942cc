import Vips

extension VipsImage {
  /// The side of a tile, in pixels.
  static let tileSide = 128

  /// The same image, computed in squares of 128 pixels, of which three rows are kept. A line of a turned image crosses
  /// most of its input, which libvips' `affine` would copy for each line that is asked for.
  func computedInTiles() throws -> VipsImage { try computed(tileWidth: Self.tileSide) }

  /// The same image, computed in bands of 128 lines, of which three are kept. A filter that asks for a few lines at a
  /// time would have its input compute the lines around them each time. A band is computed in pieces, since each
  /// operation of each thread holds a buffer of a piece's size.
  func computedInBands() throws -> VipsImage { try computed(tileWidth: min(width, 4 * Self.tileSide)) }

  private func computed(tileWidth: Int) throws -> VipsImage {
    let tilesInRow = (width + tileWidth - 1) / tileWidth
    return try applying(
      "tilecache",
      [
        "tile-width": .integer(tileWidth), "tile-height": .integer(Self.tileSide),
        "max-tiles": .integer(3 * tilesInRow),
        "threaded": true,
      ])
  }
}
