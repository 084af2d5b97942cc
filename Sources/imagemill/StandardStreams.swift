import Glibc
import Reports
import Synchronization

/// Standard output, unbuffered: what is written is with the reader when the call returns. On a terminal with a live
/// display, it is written above it.
enum StandardOutput {
  private static let isTerminal = isatty(STDOUT_FILENO) == 1

  /// Writes all of `text`; false when the reader has closed its end.
  @discardableResult
  static func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  /// Writes all of `bytes`; false when the reader has closed its end.
  @discardableResult
  static func write(_ bytes: [UInt8]) -> Bool {
    if isTerminal, let display = StandardError.display.withLock({ $0 }) {
      return display.above { StandardStream.write(bytes, to: STDOUT_FILENO) }
    }
    return StandardStream.write(bytes, to: STDOUT_FILENO)
  }
}

/// Standard error, unbuffered. While there is a live display, everything is written above it.
enum StandardError {
  /// What is at the foot of the terminal.
  static let display = Mutex<ProgressDisplay?>(nil)

  /// Writes all of `text`.
  @discardableResult
  static func write(_ text: String) -> Bool {
    if let display = display.withLock({ $0 }) { return display.writeAbove(text) }
    return writePlainly(text)
  }

  /// Takes the display away for good: before the process ends, however it ends.
  static func endDisplay() {
    let display = display.withLock { display in
      defer { display = nil }
      return display
    }
    display?.clear()
  }

  /// Writes all of `text`, whatever is displayed.
  static func writePlainly(_ text: String) -> Bool {
    StandardStream.write(Array(text.utf8), to: STDERR_FILENO)
  }
}

/// Standard input, where something is said before what is to be read.
enum StandardInput {
  /// Reads up to the first line's end and no byte further, which `readLine` would: the rest is somebody else's.
  static func firstLine() -> String {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = read(STDIN_FILENO, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1, byte != UInt8(ascii: "\n") else { break }
      line.append(byte)
    }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return String(decoding: line, as: UTF8.self)
  }
}

enum StandardStream {
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, bytes.count - written)
      }
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&entry, 1, -1)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}
