import ImageDownloads
import ImageFilters
import ImageRendering
import Synchronization
import SystemIO
import Vips

extension ImagePipeline.Configuration {
  /// A chain may come from the network like a URL. It must not be able to read a local file, or to block a thread that
  /// waits for standard input.
  func checkReferences(of chain: FilterChain) throws(FilterError) {
    for reference in chain.references where namedSources[reference] == nil {
      guard let scheme = URLReference.scheme(of: reference), ["http", "https", "data"].contains(scheme) else {
        throw FilterError(
          .badArgument,
          "the image '\(reference)' isn't an http, https or data URL, and no source of the pipeline has this name"
        )
      }
    }
    for font in chain.fonts where FontFile.isFile(font) && !fontFiles.contains(font) {
      throw FilterError(.badArgument, "text: the font file '\(font)' isn't one of the pipeline's")
    }
  }

  /// The source that a chain refers to.
  /// - Throws: `DownloadError` if it is neither a name nor a URL.
  func source(of reference: String) throws(DownloadError) -> ImageSource {
    if let source = namedSources[reference] { return source }
    return try ImageSource(parsing: reference)
  }
}

/// The images that a chain refers to, each decoded once: filters ask for them in every frame.
final class OpenedReferences: Sendable {
  private let sources: [String: StoredSource]
  private let limits: RenderLimits
  private let images = Mutex<[String: VipsImage]>([:])

  init(_ sources: [String: StoredSource], limits: RenderLimits) {
    (self.sources, self.limits) = (sources, limits)
  }

  func image(_ reference: String) throws(FilterError) -> VipsImage {
    if let image = images.withLock({ $0[reference] }) { return image }
    guard let source = sources[reference] else { return try FilterContext.noSources(reference) }
    do throws(RenderError) {
      let image = try ImageReader(limits: limits, frames: .first).image(at: source.path)
      images.withLock { $0[reference] = image }
      return image
    } catch {
      throw FilterError(.failed, "the image '\(reference)' can't be used: \(error.message)")
    }
  }
}
