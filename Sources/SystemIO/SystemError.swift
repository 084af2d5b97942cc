import Glibc

/// The error of a failed system call.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The value of `errno`.
  package let code: Int32

  package init(code: Int32) { self.code = code }

  /// The error in `errno`. Create it immediately after the failed call: any later call, even close(2), may
  /// overwrite `errno`.
  package static var last: SystemError { SystemError(code: errno) }

  /// The system's error text, such as "No space left on device".
  package var text: String {
    guard let text = strerror(code) else { return "error \(code)" }
    return String(cString: text)
  }

  /// The same as ``text``.
  package var description: String { text }

  /// Whether the file doesn't exist: `ENOENT`, or `ENOTDIR` if a component of its path isn't a directory.
  package var isMissing: Bool { code == ENOENT || code == ENOTDIR }

  /// Whether the other end of a pipe or socket has been closed.
  package var isReaderGone: Bool { code == EPIPE || code == ECONNRESET }

  /// Repeats a call while it fails with `EINTR`. A signal handler, or stopping and continuing the process,
  /// interrupts blocking calls (signal(7)).
  /// - Parameter call: Returns -1 and sets `errno` on failure.
  /// - Returns: The result of the call, 0 or more.
  /// - Throws: `SystemError` with the `errno` of any other failure.
  package static func retrying<Count: SignedInteger>(_ call: () -> Count) throws(SystemError) -> Count {
    while true {
      let count = call()
      if count >= 0 { return count }
      if errno != EINTR { throw last }
    }
  }
}
