import CVips
import Glibc
import Synchronization

/// What libvips and its codecs complain about without failing, from this object's beginning to its end.
///
/// libvips names no image in a complaint. One from the thread that made the log belongs to that log; one from libvips'
/// own threads to every log there is, so that of images that are computed at the same time none loses its own.
public final class VipsLog: Sendable {
  private struct Recording {
    let thread: pthread_t
    var messages: [String] = []
  }

  private static let recordings = Mutex<[ObjectIdentifier: Recording]>([:])
  /// A broken file can warn once a row; nobody reads more than this.
  private static let limit = 32

  /// Begins to record.
  public init() {
    let recording = Recording(thread: pthread_self())
    Self.recordings.withLock { $0[ObjectIdentifier(self)] = recording }
  }

  deinit {
    let key = ObjectIdentifier(self)
    _ = Self.recordings.withLock { $0.removeValue(forKey: key) }
  }

  /// The warnings so far, each once, in order: 32 at most.
  public var messages: [String] {
    Self.recordings.withLock { $0[ObjectIdentifier(self)]?.messages ?? [] }
  }

  static func install() {
    let levels = GLogLevelFlags(
      rawValue: G_LOG_LEVEL_WARNING.rawValue | G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_MESSAGE.rawValue)
    g_log_set_handler(
      "VIPS", levels, { _, _, message, _ in if let message { VipsLog.append(String(cString: message)) } }, nil
    )
  }

  /// libheif's files mostly have both kinds of colour description, and libvips takes the better one: there is nothing
  /// to do about it.
  private static let harmless = ["ignoring nclx profile"]

  private static func append(_ message: String) {
    guard !harmless.contains(where: message.contains) else { return }
    let thread = pthread_self()
    recordings.withLock { recordings in
      let own = recordings.keys.filter { recordings[$0]?.thread == thread }
      for key in own.isEmpty ? Array(recordings.keys) : own {
        guard var recording = recordings[key], recording.messages.count < limit,
          !recording.messages.contains(message)
        else { continue }
        recording.messages.append(message)
        recordings[key] = recording
      }
    }
  }
}
