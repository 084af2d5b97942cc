package import ImageFilters
import SystemIO
package import Vips

/// Decodes an image file and filters it, with the checks of a ``Renderer``: the format by the file's first
/// bytes, limits by its header, and damage and truncation as errors. The result's pixels are in memory or in
/// an unlinked file, so changing the source file later doesn't affect them.
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
  ///   - chain: The filters. If the first one resizes, the decoder may shrink on load, as in a rendering.
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
    let file: SourceFile
    let options: DecodeOptions
    let log = VipsLog()
    do {
      file = try SourceFile(path: path, limits: limits)
      try WholeFile.check(.path(path), file.format)
      options = try DecodeOptions(
        DecodeRequirements(frames: frames, for: chain), chain, of: file.shape, within: limits)
    } catch {
      return .failure(failure(error))
    }
    do {
      let image = try filtered(file, options, chain, source)
      if let error = log.tileError {
        return .failure(
          Failure(error: DecodeFailure.error(error, file.format), isCertain: error.isCertain))
      }
      return .success(image)
    } catch {
      guard !(error is RenderError) else { return .failure(failure(error)) }
      // libvips evaluates lazily, so that a decoder's error surfaces in a filter.
      do throws(VipsError) {
        let image = try file.open(
          sequential: true, failOn: file.loader.strictness, frames: options.frames, scale: options.scale)
        _ = try image.measuring("max")
      } catch {
        return .failure(
          Failure(error: DecodeFailure.error(error, file.format), isCertain: error.isCertain))
      }
      return .failure(failure(error))
    }
  }

  private func failure(_ error: any Error) -> Failure {
    Failure(
      error: RenderError(error, stage: .filter, code: .filterFailed),
      isCertain: RenderError.isCertain(error))
  }

  private func filtered(
    _ file: SourceFile, _ options: DecodeOptions, _ chain: FilterChain,
    _ source: @escaping @Sendable (_ reference: String) throws(FilterError) -> VipsImage
  ) throws -> VipsImage {
    let storage = PixelStorage(memory: limits.memory, directory: Paths.temporaryDirectory)
    var current = try file.decoded(
      options, isReadOnce: true, failOn: file.loader.strictness, storage: storage)
    let shrunk = file.shrinkOnLoad(options)
    let context = FilterContext(maximumPixels: limits.maxPixels, storage: storage, source: source)
    for step in 0..<chain.count {
      current = try chain.applyStep(step, to: current, shrunk: step == 0 ? shrunk : nil, context: context)
    }
    return try storage.keeping(current.image)
  }
}
