import ImageFilters
import Vips

/// Makes outputs of one source. It works on the calling thread and knows nothing of processes.
///
///     let renderer = Renderer()
///     let response = renderer.render(request)
public final class Renderer {
  private let memory: RenditionMemory

  /// A renderer that keeps up to `memory` bytes of renditions from one request to the next (default: none).
  public init(memory: Int = 0) { self.memory = RenditionMemory(capacity: memory) }

  /// Makes every output that the request asks for.
  ///
  /// One failed recipe doesn't fail the others; a source that can't be decoded fails all with one error. Each
  /// output is written wholly to its temporary path, or not at all. Equal recipes are made once, filters that
  /// chains begin with alike run once.
  public func render(_ request: RenderRequest) -> RenderResponse {
    let first = Rendering(request, memory: memory).run()
    // Another thread's failure may have put its words into ours: said again, alone, they are certain.
    return first.isCertain
      ? first.response : ErrorGate.alone { Rendering(request, memory: memory).run().response }
  }
}
