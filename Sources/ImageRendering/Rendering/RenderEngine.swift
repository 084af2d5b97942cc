import Dispatch
import Synchronization
import Vips

/// libvips and its libraries, which take tens of milliseconds to load, and are loaded while there is something else to do.
package enum RenderEngine {
  /// How far the engine is needed in this process.
  package enum Extent: Sendable {
    /// Its libraries, whose builds are part of all keys.
    case libraries
    /// A running libvips, for rendering in this process.
    case running
  }

  private static let preparations = Atomic(0)

  /// Loads the engine on another thread. Errors are those of its first use.
  package static func prepare(_ extent: Extent) {
    preparations.add(1, ordering: .relaxed)
    DispatchQueue.global().async {
      _ = RenderKeys.engine
      if extent == .running { try? VipsRuntime.start() }
      preparations.subtract(1, ordering: .relaxed)
    }
  }

  /// Whether a thread is loading the engine now. Its libraries must not be ended meanwhile, as exit(3) does.
  package static var isBeingPrepared: Bool { preparations.load(ordering: .relaxed) > 0 }
}
