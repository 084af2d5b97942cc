import Glibc
import Reports
import Synchronization
import SystemIO

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
    var failure: SystemError?
    let write = {
      do throws(SystemError) {
        try FileIO.write(bytes, to: STDOUT_FILENO)
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
    var piece = [UInt8](repeating: 0, count: 1 << 18)
    do {
      let file = try FileDescriptor(opening: path, O_RDONLY)
      while true {
        let count = try FileIO.read(file.number, into: &piece)
        if count == 0 { return true }
        if try !write(Array(piece[..<count])) { return false }
      }
    } catch let error as SystemError {
      throw Complaint(.failed, "can't read \(path): \(error.text)")
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
    do throws(SystemError) {
      try FileIO.write(Array(text.utf8), to: STDERR_FILENO)
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
    var byte: [UInt8] = [0]
    // What can't be read ends the line, as the end does.
    while (try? FileIO.read(STDIN_FILENO, into: &byte)) == 1, byte != [UInt8(ascii: "\n")] { line += byte }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return String(decoding: line, as: UTF8.self)
  }
}
