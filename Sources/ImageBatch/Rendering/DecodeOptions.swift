import ImageFilters
import Vips

/// What tells recipes apart whose sources are decoded differently.
protocol DecodeDistinction: Hashable, Sendable {
  /// With the source's content and the filters so far, all that a rendition depends on; nil where that isn't known
  /// before the source's header is.
  var identifier: String? { get }
}

/// How a recipe wants its source decoded, as far as the recipe alone says.
struct DecodeWish: DecodeDistinction {
  /// Which frames are wanted; `first` where the output or the chain takes only one.
  let frames: FrameSelection
  /// Whether a document's pages may be the frames: only TIFF takes them, from TIFF.
  let takesPages: Bool
  /// Whether an animation's frames may be.
  let takesAnimation: Bool
  let keepsOrientation: Bool
  let keepsColourSpace: Bool

  init(_ recipe: RenderRecipe) {
    let encoding = recipe.encoding
    let holders = encoding.choices.map(\.format).filter {
      EncoderTable.definition(of: $0)?.holdsFrames == true && !recipe.chain.makesFrames
    }
    frames = holders.isEmpty ? .first : encoding.frames
    takesPages = holders.contains(.tiff)
    takesAnimation = holders.contains { $0 != .tiff }
    keepsOrientation = encoding.keepsOrientation
    keepsColourSpace = encoding.profile == .keep && recipe.chain.keepsColourSpace
  }

  var identifier: String? { nil }
}

/// How a source is decoded for a recipe. It depends on the source and the recipe only.
struct DecodeOptions: DecodeDistinction {
  /// How many frames are wanted.
  let frames: Int
  /// The factor by which the decoder scales: 1, 1/2, 1/4 or 1/8 for pixels, any for drawings.
  let scale: Double
  let keepsOrientation: Bool
  let keepsColourSpace: Bool

  /// The scale isn't in it: the source and the first filter say it.
  var identifier: String? { "frames=\(frames):orient=\(keepsOrientation):colours=\(keepsColourSpace)" }

  init(for recipe: RenderRecipe, of source: SourceShape, within limits: RenderLimits) throws {
    let wish = DecodeWish(recipe)
    let fits = source.format == .tiff ? wish.takesPages : wish.takesAnimation
    switch wish.frames {
    case .first: frames = 1
    case .all: frames = fits ? source.frames : 1
    case .count(let count): frames = fits ? min(count, source.frames) : 1
    }
    try source.check(frames: frames, within: limits)
    keepsOrientation = wish.keepsOrientation
    keepsColourSpace = wish.keepsColourSpace
    let extent = keepsOrientation ? source.stored : source.upright
    let wanted = frames == 1 ? try recipe.chain.firstScale(of: extent) ?? 1 : 1
    if source.isDrawing {
      // Lines are drawn at the size that is wanted, within what may be drawn.
      let most = (Double(limits.maxPixels) / Double(extent.width * extent.height)).squareRoot()
      scale = min(wanted, most)
    } else {
      scale = Self.shrink(source, by: wanted, keepsOrientation: keepsOrientation)
    }
  }

  private static func shrink(_ source: SourceShape, by wanted: Double, keepsOrientation: Bool) -> Double {
    let shrinking = Loader(source.format).shrinking
    guard shrinking != .none else { return 1 }
    // A JPEG that doesn't divide evenly has its last column and row filled up, which must stay last.
    let mayFillUp = shrinking != .factor || keepsOrientation || source.orientation == 1
    // Half of the work is left to the resampler, so that the result looks the same whoever shrinks.
    let factor = [8, 4, 2].first { factor in
      wanted * Double(factor) * 2 <= 1
        && (mayFillUp || source.stored.width % factor == 0 && source.stored.height % factor == 0)
    }
    return 1 / Double(factor ?? 1)
  }
}
