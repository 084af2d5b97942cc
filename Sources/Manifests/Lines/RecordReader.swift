import Glibc
import SystemIO

/// Reads records from a file descriptor as they arrive, without waiting for the end of the input.
struct RecordReader: ~Copyable {
  private let file: ManifestFile
  private var splitter: RecordSplitter
  private var inflater: Inflater?
  /// Bytes that were read to detect the form of the stream.
  private var pending: [UInt8]
  private var isAtStart = true
  private var room = [UInt8](repeating: 0, count: 64 << 10)

  enum Failure: Error {
    case unreadable(message: String, line: Int)
    /// The stream isn't text.
    case binary
    /// The stream is text with NUL characters, which isn't asked for.
    case isNULSeparated
    case stopped
  }

  init(file: ManifestFile, prefix: [UInt8], splitter: RecordSplitter) {
    self.file = file
    self.splitter = splitter
    pending = prefix
  }

  /// Reads until at least one record is complete.
  /// - Parameter stop: A descriptor that ends the wait when it becomes readable.
  /// - Returns: The complete records; none at the end of the stream.
  /// - Throws: `Failure` if the input can't be read, or was stopped.
  mutating func records(stop: Int32) throws(Failure) -> [Record] {
    while true {
      let isEnd = try !readMore(stop: stop)
      var records: [Record] = []
      while let record = splitter.next() { records.append(record) }
      if splitter.isTooLong {
        throw .unreadable(
          message: "a record is longer than \(RecordSplitter.maximumRecord >> 20) MiB: is this a list?",
          line: splitter.currentLine)
      }
      if isEnd {
        if let inflater = inflater.take(), !inflater.isComplete {
          throw .unreadable(message: "the gzip data is truncated", line: splitter.currentLine)
        }
        if let last = splitter.last() { records.append(last) }
        return records
      }
      if !records.isEmpty { return records }
    }
  }

  /// Reads more bytes; false at the end.
  private mutating func readMore(stop: Int32) throws(Failure) -> Bool {
    var count = pending.count
    // A gzip signature has two bytes, and a pipe may deliver one.
    while pending.isEmpty || (isAtStart && pending.count < 2) {
      count = try read(stop: stop)
      if count == 0 { break }
      pending += room[..<count]
    }
    guard !pending.isEmpty else { return false }
    let bytes = pending[...]
    pending = []
    if isAtStart, !bytes.starts(with: Inflater.signature), !splitter.isNULSeparated {
      try Self.checkText(bytes)
    }
    do throws(Inflater.Failure) {
      if isAtStart, bytes.starts(with: Inflater.signature) { inflater = try Inflater() }
      isAtStart = false
      if inflater == nil {
        splitter.append(bytes)
      } else {
        try inflater?.inflate(bytes) { splitter.append($0) }
      }
    } catch {
      throw .unreadable(message: error.message, line: splitter.currentLine)
    }
    return true
  }

  /// Refuses a list with NUL characters by its first bytes. The reader of lines names UTF-16, which has them too.
  private static func checkText(_ bytes: ArraySlice<UInt8>) throws(Failure) {
    let head = bytes.prefix(4096)
    guard head.contains(0), !ManifestText.isUTF16(bytes) else { return }
    let isText = head.prefix { $0 != 0 }.allSatisfy { $0 >= 0x20 || $0 == 9 || $0 == 10 || $0 == 13 }
    // The last character may be incomplete.
    let isUTF8 = !String(decoding: head.dropLast(3), as: UTF8.self).dropLast().contains("\u{FFFD}")
    throw isText && isUTF8 ? .isNULSeparated : .binary
  }

  private mutating func read(stop: Int32) throws(Failure) -> Int {
    while true {
      var waiting = [
        pollfd(fd: file.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
      ]
      let ready = poll(&waiting, 2, -1)
      if ready < 0, errno == EINTR { continue }
      if waiting[1].revents != 0 { throw .stopped }
      let count = Glibc.read(file.descriptor, &room, room.count)
      if count >= 0 { return count }
      if errno == EINTR || errno == EAGAIN { continue }
      throw .unreadable(
        message: "can't be read: \(SystemError.last.text)", line: splitter.currentLine)
    }
  }
}
