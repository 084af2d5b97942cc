import CVips
import Glibc
import Synchronization

/// Records the warnings of libvips and its codecs during the object's lifetime.
///
/// A libvips warning doesn't name an image. A warning from the thread that created a log goes to that log. A warning
/// from libvips' own threads goes to every log, so that no concurrently computed image misses its own.
public final class VipsLog: Sendable {
  private struct Recording {
    let thread: pthread_t
    var messages: [String] = []
    var tileErrors = 0
  }

  private static let recordings = Mutex<[ObjectIdentifier: Recording]>([:])
  /// The most warnings to record. A damaged file can cause one per row.
  private static let limit = 32

  /// Starts recording, as the log of the calling thread.
  public init() {
    let recording = Recording(thread: pthread_self())
    Self.recordings.withLock { $0[ObjectIdentifier(self)] = recording }
  }

  deinit {
    let key = ObjectIdentifier(self)
    _ = Self.recordings.withLock { $0.removeValue(forKey: key) }
  }

  /// The warnings so far, in order, without duplicates, at most 32.
  public var messages: [String] {
    Self.recordings.withLock { $0[ObjectIdentifier(self)]?.messages ?? [] }
  }

  /// The number of tiles that couldn't be computed so far.
  package var tileErrorCount: Int { Self.recordings.withLock { $0[ObjectIdentifier(self)]?.tileErrors ?? 0 } }

  /// A decoder's error that libvips logged and may not have reported; nil if there is none.
  ///
  /// A thread that can't decode a tile leaves it black, and ends with the error. Another thread may take the black tile for
  /// pixels and complete the image first: of a PNG that is cut in its last rows, libvips 8.14.1 writes a quarter of the
  /// copies without an error.
  package var tileError: VipsError? {
    guard tileErrorCount > 0 else { return nil }
    return VipsError(operation: "tilecache", text: messages.joined(separator: "\n"), isCertain: false)
  }

  static func install() {
    let levels = GLogLevelFlags(
      rawValue: G_LOG_LEVEL_WARNING.rawValue | G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_MESSAGE.rawValue)
    g_log_set_handler(
      "VIPS", levels, { _, _, message, _ in if let message { VipsLog.append(String(cString: message)) } }, nil
    )
  }

  /// Most HEIF files have both an ICC and an nclx profile. libvips warns that it uses the ICC profile, the better one.
  private static let harmless = ["ignoring nclx profile"]

  private static func append(_ message: String) {
    guard !harmless.contains(where: message.contains) else { return }
    let thread = pthread_self()
    recordings.withLock { recordings in
      let own = recordings.keys.filter { recordings[$0]?.thread == thread }
      for key in own.isEmpty ? Array(recordings.keys) : own {
        if message.hasPrefix("error in tile ") { recordings[key]?.tileErrors += 1 }
        guard let messages = recordings[key]?.messages, messages.count < limit, !messages.contains(message)
        else { continue }
        recordings[key]?.messages.append(message)
      }
    }
  }
}
