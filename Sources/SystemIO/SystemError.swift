import Glibc

/// A call to the system that failed.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// `errno`.
  package let code: Int32

  package init(code: Int32) { self.code = code }

  /// What the last call of this thread has left in `errno`. Any call after it may change that, `close` included.
  package static var last: SystemError { SystemError(code: errno) }

  /// The system's words, as in "No space left on device".
  package var text: String {
    guard let text = strerror(code) else { return "error \(code)" }
    return String(cString: text)
  }

  /// The same as ``text``.
  package var description: String { text }

  /// Whether no file or directory has the name.
  package var isMissing: Bool { code == ENOENT || code == ENOTDIR }

  /// Whether whoever read a stream has closed the other end of the pipe or socket.
  package var isReaderGone: Bool { code == EPIPE || code == ECONNRESET }

  /// Makes a call until no signal interrupts it (signal(7): a handler, or a stop and a continuation, has a call that
  /// blocks return `EINTR`).
  /// - Returns: what the call returned, 0 or more.
  package static func retrying<Count: SignedInteger>(_ call: () -> Count) throws(SystemError) -> Count {
    while true {
      let count = call()
      if count >= 0 { return count }
      if errno != EINTR { throw last }
    }
  }
}
