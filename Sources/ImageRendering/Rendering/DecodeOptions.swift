import ImageFilters
import Vips

/// Groups recipes that can share one decoding of their source.
package protocol DecodeKey: Hashable, Sendable {
  /// The decoding's part of a rendition's cache key; nil if it can't be known before the source's header is read.
  var identifier: String? { get }
}

/// The decoding that a recipe requires, before the source's header is known.
package struct DecodeRequirements: DecodeKey {
  /// The frames to decode; `first` if the output or the chain takes only one.
  package let frames: FrameSelection
  /// Whether the output takes a document's pages as frames. Only TIFF does, from a TIFF source.
  package let takesPages: Bool
  /// Whether the output takes an animation's frames.
  package let takesAnimation: Bool
  package let keepsOrientation: Bool
  package let keepsColorSpace: Bool

  package init(_ recipe: RenderRecipe) {
    let encoding = recipe.encoding
    let holders = encoding.choices.map(\.format).filter {
      EncoderTable.definition(of: $0)?.holdsFrames == true && !recipe.chain.makesFrames
    }
    frames = holders.isEmpty ? .first : encoding.frames
    takesPages = holders.contains(.tiff)
    takesAnimation = holders.contains { $0 != .tiff }
    keepsOrientation = encoding.keepsOrientation
    keepsColorSpace = encoding.choices.contains { $0.profile == .keep } && recipe.chain.keepsColorSpace
  }

  /// Creates the requirements of an image in memory, which is upright and in sRGB, and has an animation's frames.
  init(frames: FrameSelection, for chain: FilterChain) {
    self.frames = chain.makesFrames ? .first : frames
    takesPages = false
    takesAnimation = !chain.makesFrames
    keepsOrientation = false
    keepsColorSpace = false
  }

  package var identifier: String? { nil }
}

/// The options for decoding a source for a recipe. They depend only on the source and the recipe.
package struct DecodeOptions: DecodeKey {
  /// The number of frames to decode, from 1.
  package let frames: Int
  /// The factor by which the decoder scales: 1, 1/2, 1/4 or 1/8 for raster images, any for vector drawings.
  package let scale: Double
  package let keepsOrientation: Bool
  package let keepsColorSpace: Bool

  /// Leaves out the scale, which follows from the source and the first filter.
  package var identifier: String? { "frames=\(frames):orient=\(keepsOrientation):colors=\(keepsColorSpace)" }

  package init(for recipe: RenderRecipe, of source: SourceShape, within limits: RenderLimits) throws {
    try self.init(DecodeRequirements(recipe), recipe.chain, of: source, within: limits)
  }

  /// - Throws: `RenderError` or `FilterError` if the source or a filter's result exceeds a limit, or the chain is invalid.
  init(
    _ wish: DecodeRequirements, _ chain: FilterChain, of source: SourceShape, within limits: RenderLimits
  ) throws {
    try chain.check()
    let fits = source.format == .tiff ? wish.takesPages : wish.takesAnimation
    switch wish.frames {
    case .first: frames = 1
    case .all: frames = fits ? source.frames : 1
    case .count(let count): frames = fits ? min(count, source.frames) : 1
    }
    try source.check(frames: frames, within: limits)
    keepsOrientation = wish.keepsOrientation
    keepsColorSpace = wish.keepsColorSpace
    let extent = keepsOrientation ? source.stored : source.upright
    try chain.checkSizes(from: extent, frames: frames, maximumPixels: limits.maxPixels)
    let wanted = frames == 1 ? try chain.firstScale(of: extent) ?? 1 : 1
    if source.isDrawing {
      // Vector drawings are rasterized at the wanted size, within the pixel limit.
      let most = (Double(limits.maxPixels) / Double(extent.width * extent.height)).squareRoot()
      scale = min(wanted, most)
    } else {
      scale = Self.shrink(source, by: wanted, keepsOrientation: keepsOrientation)
    }
  }

  /// Why a recipe can't be rendered, as far as the source's header and the chain tell; nil if they don't.
  package static func refusal(
    of recipe: RenderRecipe, of source: SourceShape, within limits: RenderLimits
  ) -> RenderError? {
    do {
      _ = try DecodeOptions(for: recipe, of: source, within: limits)
      return nil
    } catch {
      return RenderError(error, stage: .filter, code: .filterFailed)
    }
  }

  private static func shrink(_ source: SourceShape, by wanted: Double, keepsOrientation: Bool) -> Double {
    let shrinking = Loader(source.format).shrinking
    guard shrinking != .none else { return 1 }
    // If a JPEG's size isn't a multiple of the factor, libjpeg pads the last column and row. A rotation would
    // move that padding to another edge.
    let mayFillUp = shrinking != .factor || keepsOrientation || source.orientation == 1
    // The resampler still scales by at least 2, so that the result looks the same with and without shrink-on-load.
    let factor = [8, 4, 2].first { factor in
      wanted * Double(factor) * 2 <= 1
        && (mayFillUp || source.stored.width % factor == 0 && source.stored.height % factor == 0)
    }
    return 1 / Double(factor ?? 1)
  }
}
