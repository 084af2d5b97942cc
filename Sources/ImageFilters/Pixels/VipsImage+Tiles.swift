import Vips

extension VipsImage {
  /// The side of a tile in pixels.
  static let tileSide = 128

  /// The same image, computed in tiles of 128 by 128 pixels, with a cache of three rows of tiles. A line of a rotated
  /// image crosses most of its input, which libvips' `affine` would otherwise copy for every line.
  func computedInTiles() throws -> VipsImage { try computed(tileWidth: Self.tileSide) }

  /// The same image, computed in bands of 128 lines, with a cache of three bands. A filter that reads a few lines at a
  /// time would otherwise make its input compute the surrounding lines each time. A band is computed in pieces, because
  /// every operation on every thread holds a buffer of a piece's size.
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
