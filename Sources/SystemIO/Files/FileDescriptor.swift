package import Glibc

/// An open file that is closed when the last reference goes.
package final class FileDescriptor: Sendable {
  package let number: Int32

  /// Opens a file.
  package convenience init(
    opening path: String, _ flags: Int32, mode: UInt32 = 0o666
  ) throws(SystemError) {
    self.init(try FileIO.open(path, flags, mode: mode))
  }

  /// Takes over an open descriptor.
  package init(_ number: Int32) {
    self.number = number
  }

  deinit { close(number) }

  /// Locks the file (`flock`): shared by many, or exclusive. The lock goes with the last descriptor of this opening.
  /// - Returns: whether it is locked; false only where `waits` is false and somebody else holds it.
  package func lock(exclusive: Bool, waits: Bool = true) -> Bool {
    let operation = (exclusive ? LOCK_EX : LOCK_SH) | (waits ? 0 : LOCK_NB)
    while flock(number, operation) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }

  /// What `fstat` says.
  package var status: stat {
    var status = stat()
    fstat(number, &status)
    return status
  }

  /// Whether the file still has a name.
  package var isLinked: Bool { status.st_nlink > 0 }

  /// Reads the file from its beginning, a piece at a time; its position stays.
  /// - Returns: its length.
  @discardableResult
  package func forEachPiece(_ body: (UnsafeRawBufferPointer) -> Void) throws(SystemError) -> Int {
    var offset = 0
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try SystemError.retrying { pread(number, buffer.baseAddress, buffer.count, offset) }
      if count == 0 { return offset }
      body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += count
    }
  }

  /// The bytes from the beginning, no more than `limit`; the position stays.
  package func contents(limit: Int) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < limit {
      var buffer = [UInt8](repeating: 0, count: min(1 << 16, limit - bytes.count))
      let count = try FileIO.read(number, at: bytes.count, into: &buffer)
      bytes += buffer[..<count]
      if count < buffer.count { break }
    }
    return bytes
  }
}
