import Glibc
import Synchronization
import SystemIO

/// Writes to a standard stream or the pipe of an event log, whose reader may stop reading without closing its end.
///
/// A write waits for the reader. After a signal it waits ``patience`` at most; then the reader counts as gone, so that a
/// full pipe doesn't keep the process, and the reports that go elsewhere are still written.
enum ReadStream {
  /// How long a write waits for room after a signal.
  private static let patience = Duration.seconds(1)
  /// How often a write that waits looks for a signal, in milliseconds.
  private static let interval: Int32 = 100
  /// The streams whose readers count as gone.
  private static let abandoned = Mutex<Set<Int32>>([])

  /// Writes all of `bytes`.
  /// - Throws: `SystemError`; with code `EPIPE` if the reader has closed its end or counts as gone.
  static func write(_ bytes: [UInt8], to stream: Int32) throws(SystemError) {
    guard hasReader(stream) else { return try FileIO.write(bytes, to: stream) }
    var rest = bytes[...]
    while !rest.isEmpty {
      try awaitRoom(in: stream)
      let piece = firstPiece(of: rest)
      try FileIO.write(Array(piece), to: stream)
      rest = rest[piece.endIndex...]
    }
  }

  /// Whether somebody reads what is written: a pipe, a socket or a terminal.
  private static func hasReader(_ stream: Int32) -> Bool {
    var status = stat()
    guard fstat(stream, &status) == 0 else { return false }
    return [S_IFIFO, S_IFSOCK, S_IFCHR].contains(status.st_mode & S_IFMT)
  }

  /// Whole lines, or a part of a long one, that a stream with room takes without waiting (`PIPE_BUF` in pipe(7)).
  private static func firstPiece(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let piece = bytes.prefix(Int(PIPE_BUF))
    guard piece.count < bytes.count, let end = piece.lastIndex(of: UInt8(ascii: "\n")) else { return piece }
    return bytes[...end]
  }

  private static func awaitRoom(in stream: Int32) throws(SystemError) {
    var deadline: ContinuousClock.Instant?
    while true {
      if abandoned.withLock({ $0.contains(stream) }) { throw SystemError(code: EPIPE) }
      var entry = pollfd(fd: stream, events: Int16(POLLOUT), revents: 0)
      let ready = poll(&entry, 1, interval)
      // The write itself reports what is wrong with the stream.
      if ready > 0 || ready < 0 && errno != EINTR { return }
      guard Signals.isEnding else { continue }
      let end = deadline ?? .now + patience
      deadline = end
      if .now >= end { _ = abandoned.withLock { $0.insert(stream) } }
    }
  }
}
