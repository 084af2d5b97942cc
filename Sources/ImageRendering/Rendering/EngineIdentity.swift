import Dispatch
import Synchronization

/// Where the identity of the engine, ``RenderKeys/engine``, comes from: libvips in this process, or a worker process that is
/// being started anyway. Loading libvips takes tens of milliseconds of a processor that the workers need.
///
/// A worker tells the identity before it receives an image, which could take it over.
package enum EngineIdentity {
  private struct State {
    /// Whether a worker will tell it.
    var isExpected = false
    var told: String?
  }

  private static let state = Mutex(State())
  /// Signaled when the expected worker has told the identity, or has ended.
  private static let isDecided = DispatchSemaphore(value: 0)

  /// Announces a worker that tells the identity. ``resolve()`` waits for it.
  /// - Returns: Whether it is needed; false if another worker is expected.
  static func expect() -> Bool {
    state.withLock { state in
      guard !state.isExpected else { return false }
      state.isExpected = true
      return true
    }
  }

  /// Ends the wait for the expected worker.
  /// - Parameter identity: What it told; nil if it ended before.
  static func decide(_ identity: String?) {
    state.withLock { $0.told = identity }
    isDecided.signal()
  }

  /// The identity, for the one call that needs it: that of the expected worker, else that of libvips in this process, which is loaded.
  static func resolve() -> String {
    if state.withLock(\.isExpected) {
      isDecided.wait()
      if let told = state.withLock(\.told) { return told }
    }
    return RenderKeys.loadedEngine
  }
}

/// The first frame of a worker process.
struct WorkerGreeting: WireValue, Hashable {
  /// The worker's ``RenderKeys/engine``.
  var engine: String

  init(engine: String) { self.engine = engine }

  func write(to writer: inout WireWriter) throws(WireError) { try writer.write(engine) }

  init(from reader: inout WireReader) throws(WireError) { engine = try reader.read() }
}
