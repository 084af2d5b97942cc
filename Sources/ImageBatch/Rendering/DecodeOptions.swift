import ImageFilters
import Vips

/// How a source is decoded for a recipe. It depends on the source and the recipe only.
struct DecodeOptions: Hashable {
  /// How many frames are wanted.
  let frames: Int
  /// The factor by which the decoder scales: 1, 1/2, 1/4 or 1/8 for pixels, any for drawings.
  let scale: Double
  let keepsOrientation: Bool
  let keepsColourSpace: Bool

  init(for recipe: RenderRecipe, of file: SourceFile) throws {
    let encoding = recipe.encoding
    let holdsFrames = EncoderTable.definition(of: encoding.format)?.holdsFrames ?? false
    // A document's pages are no animation: only TIFF takes them from TIFF.
    let animates =
      holdsFrames && !recipe.chain.makesFrames && (file.format == .tiff) == (encoding.format == .tiff)
    switch encoding.frames {
    case .first: frames = 1
    case .all: frames = animates ? file.frames : 1
    case .count(let count): frames = animates ? min(count, file.frames) : 1
    }
    try file.check(frames: frames)
    keepsOrientation = encoding.keepsOrientation
    keepsColourSpace = encoding.profile == .keep && recipe.chain.keepsColourSpace
    let extent = keepsOrientation ? file.stored : file.upright
    let wanted = frames == 1 ? try recipe.chain.firstScale(of: extent) ?? 1 : 1
    if file.isDrawing {
      // Lines are drawn at the size that is wanted, within what may be drawn.
      let most = (Double(file.limits.maxPixels) / Double(extent.width * extent.height)).squareRoot()
      scale = min(wanted, most)
    } else {
      scale = Self.shrink(file, by: wanted, keepsOrientation: keepsOrientation)
    }
  }

  private static func shrink(_ file: SourceFile, by wanted: Double, keepsOrientation: Bool) -> Double {
    guard file.loader.shrinking != .none else { return 1 }
    // A JPEG that doesn't divide evenly has its last column and row filled up, which must stay last.
    let mayFillUp = file.loader.shrinking != .factor || keepsOrientation || file.orientation == 1
    // Half of the work is left to the resampler, so that nobody sees which of the two did it.
    let factor = [8, 4, 2].first { factor in
      wanted * Double(factor) * 2 <= 1
        && (mayFillUp || file.stored.width % factor == 0 && file.stored.height % factor == 0)
    }
    return 1 / Double(factor ?? 1)
  }
}
