import Glibc
import SystemIO

/// Stores a report's entries in an unlinked file until the report's head, which comes first, is known. Memory holds
/// only 24 bytes per entry, to return the entries in the manifest's order.
///
/// Not thread-safe; the mutex of a ``FileReport`` protects it.
final class ReportSpool {
  private struct Entry {
    let job: Int32
    let output: Int32
    let length: Int32
    let offset: Int
  }

  private let descriptor: Int32
  private var entries: [Entry] = []
  private var buffer: [UInt8] = []
  private var end = 0

  /// Takes ownership of the descriptor and closes it on deinit.
  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Appends an entry. Throws `SystemError` if the file can't be written.
  func append(_ bytes: [UInt8], job: Int, output: Int) throws(SystemError) {
    entries.append(
      Entry(
        job: Int32(clamping: job), output: Int32(clamping: output), length: Int32(clamping: bytes.count),
        offset: end))
    end += bytes.count
    buffer += bytes
    if buffer.count >= 1 << 16 { try flush() }
  }

  /// Passes the entries to `take` in the jobs' order, many at a time, without the last separator.
  /// - Parameters:
  ///   - separator: The length of the separator in bytes.
  ///   - take: Receives adjacent entries.
  func read(separator: Int, _ take: ([UInt8]) throws(SystemError) -> Void) throws(SystemError) {
    try flush()
    entries.sort { ($0.job, $0.output, $0.offset) < ($1.job, $1.output, $1.offset) }
    var next = 0
    while next < entries.count {
      let start = entries[next].offset
      var length = 0
      repeat {
        length += Int(entries[next].length)
        next += 1
      } while next < entries.count && entries[next].offset == start + length && length < 1 << 18
      if next == entries.count { length -= separator }
      try take(try bytes(at: start, count: length))
    }
  }

  private func flush() throws(SystemError) {
    try FileIO.write(buffer, to: descriptor)
    buffer.removeAll(keepingCapacity: true)
  }

  private func bytes(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard try FileIO.read(descriptor, at: offset, into: &bytes) == count else { throw SystemError(code: EIO) }
    return bytes
  }
}
