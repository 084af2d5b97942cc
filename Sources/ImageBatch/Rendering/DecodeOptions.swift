import ImageFilters
import Vips

/// How a source is decoded for a recipe. It depends on the source and the recipe only.
struct DecodeOptions: Hashable {
  /// How many frames are wanted.
  let frames: Int
  /// The factor by which the decoder shrinks: 1, 2, 4 or 8.
  let shrink: Int
  let keepsOrientation: Bool
  let keepsColourSpace: Bool

  init(for recipe: RenderRecipe, of file: SourceFile) throws {
    let encoding = recipe.encoding
    let holdsFrames = EncoderTable.definition(of: encoding.format)?.holdsFrames ?? false
    // A document's pages are no animation: only TIFF takes them from TIFF.
    let animates = holdsFrames && (file.format == .tiff) == (encoding.format == .tiff)
    switch encoding.frames {
    case .first: frames = 1
    case .all: frames = animates ? file.frames : 1
    case .count(let count): frames = animates ? min(count, file.frames) : 1
    }
    try file.check(frames: frames)
    keepsOrientation = encoding.keepsOrientation
    keepsColourSpace = encoding.profile == .keep && recipe.chain.keepsColourSpace
    let extent = keepsOrientation ? file.stored : file.upright
    // A JPEG that doesn't divide evenly has its last column and row filled up, which must stay last.
    let mayFillUp = file.loader.shrinking != .factor || keepsOrientation || file.orientation == 1
    // Half of the work is left to the resampler, so that nobody sees which of the two did it.
    let reduction = frames == 1 && file.loader.shrinking != .none ? try recipe.chain.reduction(of: extent) : 1
    shrink =
      [8, 4, 2].first { factor in
        reduction >= Double(factor) * 2
          && (mayFillUp || file.stored.width % factor == 0 && file.stored.height % factor == 0)
      } ?? 1
  }
}
