import CSandbox
import Glibc

/// Notices memory that a library couldn't allocate while a request is rendered, whatever the library made of that.
///
/// Only worker processes have a limit of memory, and count such failures (``begin()``).
struct AllocationWatch {
  private let start = csandbox_failed_allocations()
  private var known = csandbox_failed_allocations()

  /// Makes the process count, also in the libraries that were loaded since the last call.
  static func begin() { csandbox_watch_allocations() }

  /// Whether an allocation has failed since the value was created.
  var hasFailed: Bool { csandbox_failed_allocations() != start }

  /// Whether an allocation has failed other than in ``encoding(to:_:)``, so that no pixels can be trusted.
  var isFailing: Bool { csandbox_failed_allocations() != known }

  /// - Throws: `RenderError` with code `outOfMemory` if ``isFailing``.
  func check(_ stage: RenderError.Stage) throws(RenderError) {
    if isFailing { throw .outOfMemory(stage) }
  }

  /// Encodes an image to a file. What fails here concerns no other output.
  /// - Throws: `RenderError` with code `outOfMemory` if an allocation fails, even if `body` succeeds; otherwise what `body`
  ///   throws.
  mutating func encoding<Result>(to path: String, _ body: () throws -> Result) throws -> Result {
    try check(.encode)
    defer { known = csandbox_failed_allocations() }
    let result: Result
    do { result = try body() } catch {
      try check(.encode)
      throw error
    }
    if isFailing { unlink(path) }
    try check(.encode)
    return result
  }
}

extension RenderError {
  /// The error of a worker process that has used up its memory. The image isn't the cause.
  static func outOfMemory(_ stage: Stage) -> RenderError {
    RenderError(code: .outOfMemory, stage: stage, message: "rendering ran out of the worker's memory")
  }
}
