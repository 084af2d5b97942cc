import Glibc
import ImageDownloads
import Reports
import Synchronization
import SystemIO
import TerminalText

/// The standard streams, some of which may be closed when the process starts.
enum StandardStreams {
  /// Opens each closed stream on a file that refuses every use. Otherwise the next file opened would get its number,
  /// and a message could be written into the cache's index.
  static func reserve() {
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) < 0 {
      // open(2) returns the lowest free number, which is this stream's.
      _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}

/// Standard output, unbuffered. On a terminal with a live display, output appears above the display.
///
/// A reader that closes its end, like `head`, isn't an error. Any other write error ends the command with a
/// message and status 1.
enum StandardOutput {
  static let isTerminal = isatty(STDOUT_FILENO) == 1

  /// Writes all of `text`; false if the reader has closed its end.
  @discardableResult
  static func write(_ text: String) throws(CommandError) -> Bool { try write(Array(text.utf8)) }

  /// Writes all of `bytes`; false if the reader has closed its end.
  @discardableResult
  static func write(_ bytes: [UInt8]) throws(CommandError) -> Bool {
    var failure: SystemError?
    let write = {
      do throws(SystemError) {
        try ReadStream.write(bytes, to: STDOUT_FILENO)
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

  /// Copies the file at `path`; false if the reader has closed its end.
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
      throw CommandError(unreadable: path, error)
    }
  }

  /// Standard output as a path, which an output would replace.
  static let names: Set = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]

  /// Throws if standard output is a terminal, which would interpret binary data as control sequences.
  static func refuseBinaryOnTerminal() throws(CommandError) {
    guard isTerminal else { return }
    throw CommandError(
      .usage, "won't write binary data to a terminal; redirect standard output, or name a file")
  }

  /// Closes the stream: some file systems report a full disk only then.
  static func end() throws(CommandError) {
    if Glibc.close(STDOUT_FILENO) != 0, errno != EBADF { throw complaint(errno) }
  }

  private static func complaint(_ code: Int32) -> CommandError {
    CommandError(.failed, "can't write standard output: \(ReportError.reason(code))")
  }
}

/// Standard error, unbuffered. Output appears above the live display, if there is one.
enum StandardError {
  /// The live display at the bottom of the terminal.
  static let display = Mutex<ProgressDisplay?>(nil)

  @discardableResult
  static func write(_ text: String) -> Bool {
    if let display = display.withLock({ $0 }) { return display.writeAbove(text) }
    return writePlainly(text)
  }

  /// Writes a message without the secrets of URLs. Its lines may hold names from manifests, files and servers, whose
  /// control characters could move the cursor or color the terminal.
  /// - Parameter message: One line or several, with or without the last line break.
  static func say(_ message: String) {
    var lines = SecretText.hidden(in: message).split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    write(lines.map { TerminalText.visible(String($0)) }.joined(separator: "\n") + "\n")
  }

  /// Removes the display for good; called before the process ends.
  static func endDisplay() {
    let display = display.withLock { display in
      defer { display = nil }
      return display
    }
    display?.clear()
  }

  /// Writes all of `text`, regardless of the display.
  static func writePlainly(_ text: String) -> Bool {
    do throws(SystemError) {
      try ReadStream.write(Array(text.utf8), to: STDERR_FILENO)
      return true
    } catch {
      // An error on standard error can't be reported anywhere.
      return false
    }
  }
}

/// Standard input, whose first line may hold credentials.
enum StandardInput {
  /// Standard input as an operand.
  private static let names: Set = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]

  /// Says that a terminal's input is awaited if an operand is standard input.
  static func announce(_ noun: String, of operand: String) {
    if names.contains(operand) { announce(noun) }
  }

  /// Says that a terminal's input is awaited, which otherwise looks like a command that hangs.
  /// - Parameters:
  ///   - noun: What is read, such as "the manifest".
  ///   - key: What ends the input. Default: Ctrl-D.
  static func announce(_ noun: String, key: String = "Ctrl-D") {
    guard isatty(STDIN_FILENO) == 1 else { return }
    StandardError.say("imagemill: reading \(noun) from the terminal; end with \(key)")
  }

  /// Reads the first line and no byte further: `readLine` would buffer bytes that others read from the descriptor.
  /// - Throws: `SystemError` if standard input can't be read.
  static func firstLine() throws(SystemError) -> String {
    var line: [UInt8] = []
    var byte: [UInt8] = [0]
    while try FileIO.read(STDIN_FILENO, into: &byte) == 1, byte != [UInt8(ascii: "\n")] { line += byte }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return String(decoding: line, as: UTF8.self)
  }
}
