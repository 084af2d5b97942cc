/// A record of a stream: a line, a NUL-terminated string, or a row whose quoted cells may contain line breaks.
struct Record: Sendable, Equatable {
  /// The number of the first line; of a record that ends in NUL, which may have several lines, that of the record.
  var line: Int
  /// The bytes without the terminator.
  var bytes: [UInt8]
}

/// Splits a stream of bytes into records.
struct RecordSplitter {
  /// The byte that ends a record.
  private let terminator: UInt8
  /// The byte that separates cells in CSV and TSV. A quote at a cell's start begins a part that may hold terminators.
  private let separator: UInt8?
  private var buffer: [UInt8] = []
  /// The start of the unfinished record in `buffer`, and the position of the search.
  private var start = 0
  private var position = 0
  private var line = 1
  private var linesInRecord = 0
  private var isQuoted = false
  private var isAtCellStart = true
  private var isFirst = true

  /// The maximum length of a record, in bytes; enough for any sensible data: URL.
  static let maximumRecord = 64 << 20

  init(terminator: UInt8 = UInt8(ascii: "\n"), separator: UInt8? = nil) {
    self.terminator = terminator
    self.separator = separator
  }

  /// Whether the unfinished record exceeds ``maximumRecord``.
  var isTooLong: Bool { buffer.count - start > Self.maximumRecord }
  /// The number of the unfinished line or record.
  var currentLine: Int { line }

  /// Whether records end in NUL.
  var isNULSeparated: Bool { terminator == 0 }

  mutating func append(_ bytes: some Collection<UInt8>) {
    if start > 0 {
      buffer.removeFirst(start)
      position -= start
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// The next complete record.
  mutating func next() -> Record? {
    guard let end = separator == nil ? plainEnd() : quotedEnd() else { return nil }
    let record = Record(line: line, bytes: content(start..<end))
    line += linesInRecord + 1
    linesInRecord = 0
    start = end + 1
    position = start
    isAtCellStart = true
    return record
  }

  /// The rest of a stream that ended without a terminator.
  mutating func last() -> Record? {
    guard start < buffer.count else { return nil }
    defer { start = buffer.count }
    return Record(line: line, bytes: content(start..<buffer.count))
  }

  private mutating func content(_ range: Range<Int>) -> [UInt8] {
    var slice = buffer[range]
    if isFirst {
      isFirst = false
      if slice.starts(with: [0xEF, 0xBB, 0xBF]) { slice = slice.dropFirst(3) }
    }
    if terminator == UInt8(ascii: "\n"), slice.last == UInt8(ascii: "\r") { slice = slice.dropLast() }
    return Array(slice)
  }

  private mutating func plainEnd() -> Int? {
    let end = buffer[position...].firstIndex(of: terminator)
    position = end ?? buffer.count
    return end
  }

  private mutating func quotedEnd() -> Int? {
    while position < buffer.count {
      let byte = buffer[position]
      if isQuoted {
        if byte == UInt8(ascii: "\"") {
          isQuoted = false
        } else if byte == UInt8(ascii: "\n") {
          linesInRecord += 1
        }
        // After a quote, the next quote continues the cell: it is a doubled one.
        isAtCellStart = byte == UInt8(ascii: "\"")
      } else if byte == terminator {
        return position
      } else if byte == UInt8(ascii: "\""), isAtCellStart {
        isQuoted = true
      } else {
        isAtCellStart = byte == separator
      }
      position += 1
    }
    return nil
  }
}
