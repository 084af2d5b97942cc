import Glibc
import Synchronization

/// A file that is being written in the store's `tmp/`. It vanishes with its last reference unless it has been inserted.
///
/// It is locked as long as it is open, so that another process that clears the dead out of `tmp/` leaves it alone.
public final class TemporaryFile: Sendable {
  /// Where it is.
  public let path: String
  package let file: FileDescriptor
  private let isMoved = Mutex(false)

  init(path: String, file: FileDescriptor) {
    self.path = path
    self.file = file
  }

  deinit {
    if !isMoved.withLock({ $0 }) { unlink(path) }
  }

  /// Appends bytes.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(DiskStoreError) {
    try file.write(bytes, path: path)
  }

  /// Puts the file at its final place, at once and whole.
  package func move(to destination: String) throws(DiskStoreError) {
    guard rename(path, destination) == 0 else { throw .file("rename a file to", destination, errno: errno) }
    isMoved.withLock { $0 = true }
  }
}
