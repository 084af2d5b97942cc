import Glibc

/// Calls on open descriptors, whoever owns them. They repeat interrupted calls and partial reads and writes.
package enum FileIO {
  /// Opens a file, which no child process inherits.
  /// - Parameter mode: That of a file that is made.
  package static func open(_ path: String, _ flags: Int32, mode: UInt32 = 0o666) throws(SystemError) -> Int32
  {
    try SystemError.retrying { Glibc.open(path, flags | O_CLOEXEC, mode) }
  }

  /// Writes all of `bytes` at the descriptor's position. Waits for a slow reader where the stream doesn't block by
  /// itself, as a terminal's may.
  package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count > 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if count == 0 {
        // Nothing was taken and nothing is said: asking again could go on for ever.
        throw SystemError(code: EIO)
      } else if errno == EAGAIN {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&entry, 1, -1)
      } else if errno != EINTR {
        throw .last
      }
    }
  }

  /// The same for an array.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(SystemError) in
      try write(UnsafeRawBufferPointer(bytes), to: descriptor)
    }
  }

  /// Reads what is there, up to the buffer's size; waits for at least one byte.
  /// - Returns: how many bytes; 0 at the end.
  package static func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int {
    try SystemError.retrying { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
  }

  /// The same for an array.
  package static func read(_ descriptor: Int32, into buffer: inout [UInt8]) throws(SystemError) -> Int {
    try buffer.withUnsafeMutableBufferPointer { (buffer) throws(SystemError) in
      try read(descriptor, into: UnsafeMutableRawBufferPointer(buffer))
    }
  }

  /// Fills an array from a place of the file on; the descriptor's position stays.
  /// - Returns: how many bytes: fewer than there is room for only at the file's end.
  package static func read(
    _ descriptor: Int32, at offset: Int, into buffer: inout [UInt8]
  ) throws(SystemError) -> Int {
    try buffer.withUnsafeMutableBufferPointer { (buffer) throws(SystemError) in
      var filled = 0
      while filled < buffer.count {
        let rest = UnsafeMutableBufferPointer(rebasing: buffer[filled...])
        let count = try SystemError.retrying {
          pread(descriptor, rest.baseAddress, rest.count, offset + filled)
        }
        if count == 0 { break }
        filled += count
      }
      return filled
    }
  }

  /// Reads to the end, a piece at a time.
  /// - Parameters:
  ///   - pieceSize: The longest piece, in bytes.
  ///   - body: Called with each piece; what it throws ends the reading.
  package static func forEachPiece(
    of descriptor: Int32, pieceSize: Int = 1 << 17,
    _ body: (UnsafeRawBufferPointer) throws(SystemError) -> Void
  ) throws(SystemError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try read(descriptor, into: buffer)
      if count == 0 { return }
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// Reads to the end.
  /// - Throws: `EFBIG` for more than `limit` bytes.
  package static func readToEnd(_ descriptor: Int32, limit: Int = .max) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    try forEachPiece(of: descriptor) { (piece) throws(SystemError) in
      guard bytes.count + piece.count <= limit else { throw SystemError(code: EFBIG) }
      bytes += piece
    }
    return bytes
  }

  /// Copies from one descriptor's position to its end to the other's, inside the kernel.
  package static func copy(from source: Int32, to destination: Int32) throws(SystemError) {
    while try SystemError.retrying({ sendfile(destination, source, nil, 1 << 24) }) > 0 {}
  }
}
