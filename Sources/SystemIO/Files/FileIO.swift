import Glibc

/// Calls on open descriptors, whoever owns them. They repeat interrupted calls and partial reads and writes.
package enum FileIO {
  /// Opens a file with `O_CLOEXEC`, so that no child process inherits it. The caller closes the descriptor.
  /// - Parameter mode: The permissions of a file that is created, before the umask is applied.
  package static func open(_ path: String, _ flags: Int32, mode: UInt32 = 0o666) throws(SystemError) -> Int32
  {
    try SystemError.retrying { Glibc.open(path, flags | O_CLOEXEC, mode) }
  }

  /// Writes all of `bytes` at the descriptor's position. Waits if a nonblocking descriptor isn't ready: a
  /// terminal shared with another process may be nonblocking.
  package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count > 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if count == 0 {
        // A write of 0 bytes without an error would repeat forever.
        throw SystemError(code: EIO)
      } else if errno == EAGAIN {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&entry, 1, -1)
      } else if errno != EINTR {
        throw .last
      }
    }
  }

  /// Writes all of an array at the descriptor's position.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(SystemError) in
      try write(UnsafeRawBufferPointer(bytes), to: descriptor)
    }
  }

  /// Reads up to `buffer.count` bytes at the descriptor's position. Waits for at least one byte.
  /// - Returns: The number of bytes read; 0 at the end of the file.
  package static func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int {
    try SystemError.retrying { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
  }

  /// Reads up to `buffer.count` bytes at the descriptor's position into an array, whose size doesn't change.
  package static func read(_ descriptor: Int32, into buffer: inout [UInt8]) throws(SystemError) -> Int {
    try buffer.withUnsafeMutableBufferPointer { (buffer) throws(SystemError) in
      try read(descriptor, into: UnsafeMutableRawBufferPointer(buffer))
    }
  }

  /// Fills an array from an offset in the file. The descriptor's position doesn't change.
  /// - Returns: The number of bytes read; less than `buffer.count` only at the end of the file.
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

  /// Reads from the descriptor's position to the end of the file, in pieces.
  /// - Parameters:
  ///   - pieceSize: The maximum size of a piece, in bytes.
  ///   - body: Receives each piece, valid only during the call. An error that it throws ends the reading.
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

  /// Reads all bytes from the descriptor's position to the end of the file.
  /// - Throws: `SystemError`; with code `EFBIG` if there are more than `limit` bytes.
  package static func readToEnd(_ descriptor: Int32, limit: Int = .max) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    try forEachPiece(of: descriptor) { (piece) throws(SystemError) in
      guard bytes.count + piece.count <= limit else { throw SystemError(code: EFBIG) }
      bytes += piece
    }
    return bytes
  }

  /// Copies the rest of `source` to `destination`, at their positions, within the kernel (sendfile(2)).
  package static func copy(from source: Int32, to destination: Int32) throws(SystemError) {
    while try SystemError.retrying({ sendfile(destination, source, nil, 1 << 24) }) > 0 {}
  }
}
