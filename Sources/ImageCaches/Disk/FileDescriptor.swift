package import Crypto
package import Glibc

/// An open file that is closed when the last reference goes.
package final class FileDescriptor: Sendable {
  package let number: Int32

  /// Opens a file; nil where it doesn't exist.
  package static func open(
    _ path: String, _ flags: Int32, mode: mode_t = 0o644
  ) throws(CacheError) -> FileDescriptor? {
    let number = Glibc.open(path, flags | O_CLOEXEC, mode)
    if number < 0 {
      if errno == ENOENT { return nil }
      throw .file("open", path, errno: errno)
    }
    return FileDescriptor(number)
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
  var isLinked: Bool { status.st_nlink > 0 }

  /// The SHA-256 and length of the file from its beginning, read through once; the file's position stays.
  package func digest(path: String) throws(CacheError) -> (digest: ContentDigest, byteCount: Int) {
    let (hasher, byteCount) = try hash(path: path)
    return (ContentDigest(hasher.finalize()), byteCount)
  }

  /// As ``digest(path:)``, with the hash function still open for what may follow.
  package func hash(path: String) throws(CacheError) -> (hasher: SHA256, byteCount: Int) {
    var hasher = SHA256()
    let byteCount = try forEachPiece(path: path) { hasher.update(bufferPointer: $0) }
    return (hasher, byteCount)
  }

  /// Reads the file from its beginning, a piece at a time; its position stays.
  /// - Returns: its length.
  @discardableResult
  package func forEachPiece(
    path: String, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(CacheError) -> Int {
    var offset = 0
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = pread(number, buffer.baseAddress, buffer.count, off_t(offset))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .file("read", path, errno: errno) }
      if count == 0 { return offset }
      body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += count
    }
  }

  /// The bytes from the beginning, no more than `limit`.
  package func contents(path: String, limit: Int) throws(CacheError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: min(limit, 1 << 16))
    while bytes.count < limit {
      let count = pread(number, &buffer, min(buffer.count, limit - bytes.count), off_t(bytes.count))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .file("read", path, errno: errno) }
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    return bytes
  }

  /// Writes all of `bytes` at the file's position.
  package func write(_ bytes: [UInt8], path: String) throws(CacheError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .file("write", path, errno: errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// Writes all of `bytes` at the file's position.
  package func write(_ bytes: UnsafeRawBufferPointer, path: String) throws(CacheError) {
    var offset = 0
    while offset < bytes.count {
      let count = Glibc.write(number, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .file("write", path, errno: errno) }
      offset += count
    }
  }
}
