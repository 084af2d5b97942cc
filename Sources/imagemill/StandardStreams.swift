import Glibc
import Reports
import Synchronization

/// The streams that the process was started with.
enum StandardStreams {
  /// Puts a file that refuses every use in the place of each stream that is closed. Otherwise the next file to be
  /// opened would be that stream, and a message would be written into the cache's index.
  static func reserve() {
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) < 0 {
      // The lowest free number is taken, which is this stream's.
      _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}

/// Standard output, unbuffered: what is written is with the reader when the call returns. On a terminal with a live
/// display, it is written above it.
///
/// A reader that has closed its end, as `head` does, has all that it wants: that is no error. Anything else that keeps
/// output from being written ends the command with a message and status 1.
enum StandardOutput {
  static let isTerminal = isatty(STDOUT_FILENO) == 1

  /// Writes all of `text`; false when the reader has closed its end.
  @discardableResult
  static func write(_ text: String) throws(Complaint) -> Bool { try write(Array(text.utf8)) }

  /// Writes all of `bytes`; false when the reader has closed its end.
  @discardableResult
  static func write(_ bytes: [UInt8]) throws(Complaint) -> Bool {
    var failure: StreamFailure?
    let write = {
      do throws(StreamFailure) {
        try StandardStream.write(bytes, to: STDOUT_FILENO)
      } catch {
        failure = error
      }
      return failure == nil
    }
    if isTerminal, let display = StandardError.display.withLock({ $0 }) {
      _ = display.above(write)
    } else {
      _ = write()
    }
    guard let failure else { return true }
    if failure.isReaderGone { return false }
    throw Self.complaint(failure.code)
  }

  /// Copies the file at `path`; false when the reader has closed its end.
  @discardableResult
  static func copy(fileAt path: String) throws -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { Glibc.close(descriptor) }
    var piece = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable(path) }
      if count == 0 { return true }
      if try !write(Array(piece[..<count])) { return false }
    }
  }

  /// Refuses to write a picture's bytes to a terminal, which would take them for commands.
  static func refuseBinaryOnTerminal() throws(Complaint) {
    guard isTerminal else { return }
    throw Complaint(
      .usage, "standard output is a terminal, which can't show a binary file; redirect it, or name a file")
  }

  /// Closes the stream: some file systems say only then that there was no room.
  static func end() throws(Complaint) {
    if Glibc.close(STDOUT_FILENO) != 0, errno != EBADF { throw complaint(errno) }
  }

  private static func complaint(_ code: Int32) -> Complaint {
    Complaint(.failed, "can't write standard output: \(ReportError.reason(code))")
  }

  private static func unreadable(_ path: String) -> Complaint {
    Complaint(.failed, "can't read \(path): \(String(cString: strerror(errno)))")
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
    do throws(StreamFailure) {
      try StandardStream.write(Array(text.utf8), to: STDERR_FILENO)
      return true
    } catch {
      // There is nobody left to tell.
      return false
    }
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

/// Why a stream takes no more.
struct StreamFailure: Error {
  /// `errno`.
  let code: Int32
  /// Whether whoever read the stream has closed the other end of the pipe or socket.
  var isReaderGone: Bool { code == EPIPE || code == ECONNRESET }
}

enum StandardStream {
  /// Writes all of `bytes`, and waits for a slow reader.
  static func write(_ bytes: [UInt8], to descriptor: Int32) throws(StreamFailure) {
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
        throw StreamFailure(code: errno)
      }
    }
  }
}
