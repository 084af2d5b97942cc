package import ImageFilters
import SystemIO
package import Vips

/// Decodes an image file and filters it, with the checks of a ``Renderer``: the format by the file's first bytes, limits
/// by its header, and damage and truncation as errors. The result's pixels are computed, so that nothing that happens to
/// the file later changes them.
package struct ImageReader: Sendable {
  private let limits: RenderLimits
  private let frames: FrameSelection

  package init(limits: RenderLimits, frames: FrameSelection) {
    self.limits = limits
    self.frames = frames
  }

  /// Decodes and filters a file.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - chain: The filters. A decoder that can shrinks the image for a first resize, as in a rendering.
  ///     Default: none.
  ///   - source: Opens the images that the chain refers to. Default: ``FilterContext/noSources``.
  /// - Returns: The upright image in sRGB, with all frames stacked as pages.
  /// - Throws: `RenderError` if the file can't be read, is damaged or truncated, or exceeds a limit, or a
  ///   filter fails.
  package func image(
    at path: String, applying chain: FilterChain = FilterChain(),
    source: @escaping @Sendable (_ reference: String) throws(FilterError) -> VipsImage = FilterContext
      .noSources
  ) throws(RenderError) -> VipsImage {
    switch attempt(path, chain, source) {
    case .success(let image): return image
    case .failure(let failure):
      if failure.isCertain { throw failure.error }
      // libvips' error buffer is shared by all threads. See ``Renderer/render(_:)``.
      switch VipsErrorLock.exclusive({ attempt(path, chain, source) }) {
      case .success(let image): return image
      case .failure(let failure): throw failure.error
      }
    }
  }

  private struct Failure: Error {
    let error: RenderError
    let isCertain: Bool
  }

  private func attempt(
    _ path: String, _ chain: FilterChain,
    _ source: @escaping @Sendable (_ reference: String) throws(FilterError) -> VipsImage
  ) -> Result<VipsImage, Failure> {
    var decoding: Decoding?
    do {
      try VipsRuntime.start()
      try chain.check()
      let file = try SourceFile(path: path, limits: limits)
      try WholeFile.check(path, file.format)
      let recipe = RenderRecipe(
        id: 0, chain: chain, encoding: Encoding.webp().with(frames: frames), temporaryPath: "")
      let opened = Decoding(
        file: file, options: try DecodeOptions(for: recipe, of: file.shape, within: limits))
      decoding = opened
      return .success(try opened.filtered(chain, limits, source))
    } catch {
      let failure = renderError(error)
      guard !(error is RenderError), let decoding else { return .failure(failure) }
      // libvips evaluates lazily, so that a decoder's error surfaces in a filter.
      do {
        _ = try decoding.open().measuring("max")
        return .failure(failure)
      } catch {
        return .failure(
          Failure(error: DecodeFailure.error(error, decoding.file.format), isCertain: error.isCertain))
      }
    }
  }

  private func renderError(_ error: any Error) -> Failure {
    switch error {
    case let error as RenderError: Failure(error: error, isCertain: true)
    case let error as FilterError:
      Failure(error: RenderError(error), isCertain: error.cause?.isCertain ?? true)
    case let error as VipsError:
      Failure(
        error: RenderError(code: .corrupt, stage: .decode, message: error.description),
        isCertain: error.isCertain)
    default:
      Failure(error: RenderError(code: .corrupt, stage: .decode, message: "\(error)"), isCertain: true)
    }
  }
}

/// One decoding of a file.
private struct Decoding {
  let file: SourceFile
  let options: DecodeOptions

  /// Opens the file with its loader, at the size and with the frames that the options ask for.
  /// - Throws: `VipsError` if the header can't be read.
  func open() throws(VipsError) -> VipsImage {
    try file.loader.open(
      file.path, sequential: true, failOn: file.loader.strictness, frames: options.frames,
      scale: options.scale)
  }

  func filtered(
    _ chain: FilterChain, _ limits: RenderLimits,
    _ source: @escaping @Sendable (_ reference: String) throws(FilterError) -> VipsImage
  ) throws -> VipsImage {
    let storage = PixelStorage(memory: limits.memory, directory: Paths.temporaryDirectory)
    let streams = file.shape.orientation == 1 && options.frames == 1
    var image = try open()
    if !streams { image = try storage.keeping(image) }
    image = try image.upright().inSRGB()
    var current = streams ? Intermediate(image, from: .decoder) : Intermediate(image)
    let shrunk = ShrinkOnLoad(
      extent: file.shape.upright, scale: options.scale, isExact: file.loader.shrinking != .factor)
    let context = FilterContext(maximumPixels: limits.maxPixels, storage: storage, source: source)
    for step in 0..<chain.count {
      current = try chain.applyStep(step, to: current, shrunk: step == 0 ? shrunk : nil, context: context)
    }
    return try storage.keeping(current.image)
  }
}
