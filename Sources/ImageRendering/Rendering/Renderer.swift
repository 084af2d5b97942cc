import ImageFilters
import Vips

/// Renders outputs of one source on the calling thread.
///
///     let renderer = Renderer()
///     let response = renderer.render(request)
package final class Renderer {
  private let memory: RenditionMemoryCache

  /// Creates a renderer.
  /// - Parameter memory: Bytes of renditions to keep between requests (default: 0, none).
  package init(memory: Int = 0) { self.memory = RenditionMemoryCache(capacity: memory) }

  /// Renders every output of the request.
  ///
  /// A failed recipe doesn't fail the others; a source that can't be decoded fails all of them with the same error.
  /// Each output is written completely or not at all. Equal recipes are rendered once, and filters that chains have
  /// in common at their start run once.
  package func render(_ request: RenderRequest) -> RenderResponse {
    if request.wantsInspection { return inspecting(request) }
    let first = Rendering(request, memory: memory).run()
    // libvips' error buffer is shared by all threads, so an error text may include another thread's. Rendering
    // again under the exclusive lock gives a certain one.
    return first.isCertain
      ? first.response : VipsErrorLock.exclusive { Rendering(request, memory: memory).run().response }
  }

  private func inspecting(_ request: RenderRequest) -> RenderResponse {
    var response = RenderResponse(outputs: [])
    let allocations = AllocationWatch()
    do throws(RenderError) {
      let inspection = try ImageInspection(
        request.source, limits: request.limits, placeholders: request.wantsPlaceholders)
      try allocations.check(.decode)
      response.inspection = .success(inspection)
    } catch {
      response.inspection = .failure(error.isDamage && allocations.isFailing ? .outOfMemory(.decode) : error)
    }
    return response
  }
}
