import Glibc
import Synchronization

/// Reads what a child process prints, and keeps the end of it.
final class ProcessOutput: Sendable {
  private struct State {
    var end: [UInt8] = []
    var isOpen = true
  }

  /// A socket, so that it can be read without blocking. It is closed with this object.
  let descriptor: Int32
  private let state = Mutex(State())
  /// The most bytes that are kept. A crash is told in its last lines.
  private static let limit = 2000

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Whether a process may still print.
  var isOpen: Bool { state.withLock(\.isOpen) }

  /// The end of what has been printed since ``clear()``.
  var text: String {
    read()
    return String(decoding: state.withLock(\.end), as: UTF8.self)
  }

  /// Reads what has been printed, without waiting for more.
  func read() {
    state.withLock { state in
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while state.isOpen {
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 {
          state.end = Array((state.end + buffer[..<count].suffix(Self.limit)).suffix(Self.limit))
        } else if count < 0, errno == EINTR {
          continue
        } else {
          // Without this, poll(2) would report the end of the stream for ever.
          if count == 0 || errno != EAGAIN { state.isOpen = false }
          return
        }
      }
    }
  }

  /// Forgets what has been printed.
  func clear() {
    read()
    state.withLock { $0.end = [] }
  }
}
