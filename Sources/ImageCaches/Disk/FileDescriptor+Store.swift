package import Crypto
package import Glibc
package import SystemIO

/// File access with errors that name the file.
extension FileDescriptor {
  /// Opens a file.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - flags: The flags of open(2).
  ///   - mode: The permissions of a new file, before the umask. Default: 0644.
  /// - Returns: nil if the file doesn't exist.
  /// - Throws: `CacheError` if the file exists and can't be opened.
  package static func open(
    _ path: String, _ flags: Int32, mode: mode_t = 0o644
  ) throws(CacheError) -> FileDescriptor? {
    do throws(SystemError) {
      return try FileDescriptor(opening: path, flags, mode: mode)
    } catch {
      if error.code == ENOENT { return nil }
      throw .file("open", path, errno: error.code)
    }
  }

  /// The SHA-256 and length of the whole file. The file position doesn't change.
  package func digest(path: String) throws(CacheError) -> (digest: ContentDigest, byteCount: Int) {
    try Self.attempting("read", path) { () throws(SystemError) in try digest() }
  }

  /// Like ``digest(path:)``, but the caller describes the failure.
  package func digest() throws(SystemError) -> (digest: ContentDigest, byteCount: Int) {
    let (hasher, byteCount) = try hash()
    return (ContentDigest(hasher.finalize()), byteCount)
  }

  /// Like ``digest(path:)``, with a hash function that accepts more bytes.
  package func hash(path: String) throws(CacheError) -> (hasher: SHA256, byteCount: Int) {
    try Self.attempting("read", path) { () throws(SystemError) in try hash() }
  }

  private func hash() throws(SystemError) -> (hasher: SHA256, byteCount: Int) {
    var hasher = SHA256()
    let byteCount = try forEachPiece { hasher.update(bufferPointer: $0) }
    return (hasher, byteCount)
  }

  /// The first `limit` bytes of the file.
  package func contents(path: String, limit: Int) throws(CacheError) -> [UInt8] {
    try Self.attempting("read", path) { () throws(SystemError) in try contents(limit: limit) }
  }

  /// Writes all of `bytes` at the file position.
  package func write(_ bytes: [UInt8], path: String) throws(CacheError) {
    try Self.attempting("write", path) { () throws(SystemError) in try FileIO.write(bytes, to: number) }
  }

  package func write(_ bytes: UnsafeRawBufferPointer, path: String) throws(CacheError) {
    try Self.attempting("write", path) { () throws(SystemError) in try FileIO.write(bytes, to: number) }
  }

  private static func attempting<Value>(
    _ action: String, _ path: String, _ body: () throws(SystemError) -> Value
  ) throws(CacheError) -> Value {
    do throws(SystemError) { return try body() } catch { throw .file(action, path, errno: error.code) }
  }
}
