import Glibc
import Synchronization

/// A file that is being written in the store's `tmp/`. It vanishes with its last reference unless it has been inserted.
///
/// It is locked as long as it is open, so that another process that clears the dead out of `tmp/` leaves it alone.
public final class TemporaryFile: Sendable {
  /// Where it is.
  public let path: String
  package let file: FileDescriptor
  /// Whether the file outlives this object: it was moved, or is kept for another run.
  private let outlives = Mutex(false)

  init(path: String, file: FileDescriptor) {
    self.path = path
    self.file = file
  }

  deinit {
    if !outlives.withLock({ $0 }) { unlink(path) }
  }

  /// Appends bytes.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(CacheError) {
    try file.write(bytes, path: path)
  }

  /// Puts the file at its final place, at once and whole.
  package func move(to destination: String) throws(CacheError) {
    guard rename(path, destination) == 0 else { throw .file("rename a file to", destination, errno: errno) }
    outlives.withLock { $0 = true }
  }

  /// Leaves the file where it is when the last reference goes.
  package func keep() {
    outlives.withLock { $0 = true }
  }
}
