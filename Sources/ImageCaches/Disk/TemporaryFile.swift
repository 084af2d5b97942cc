import Glibc
import Synchronization
package import SystemIO

/// A file in the store's `tmp/` that becomes an object when it is inserted, and vanishes with its last reference
/// otherwise.
public protocol StagedFile: Sendable {
  /// Where it is.
  var path: String { get }
  /// Its size in bytes.
  var byteCount: Int { get }
  /// Moves the file to its final place, at once and whole.
  func move(to destination: String) throws(CacheError)
}

/// A temporary file that this process writes: it is open as long as it lives.
public final class TemporaryFile: StagedFile {
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

  /// Its size in bytes.
  public var byteCount: Int { Int(file.status.st_size) }

  /// Appends bytes.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(CacheError) {
    try file.write(bytes, path: path)
  }

  /// Puts the file at its final place, at once and whole.
  public func move(to destination: String) throws(CacheError) {
    guard rename(path, destination) == 0 else { throw .file("rename a file to", destination, errno: errno) }
    outlives.withLock { $0 = true }
  }

  /// Leaves the file where it is when the last reference goes.
  package func keep() {
    outlives.withLock { $0 = true }
  }
}

/// A name for a file that somebody else writes, such as a worker process. It holds no descriptor.
public final class TemporaryPath: StagedFile {
  /// Where the file is, or will be.
  public let path: String
  private let isMoved = Mutex(false)

  init(path: String) { self.path = path }

  deinit {
    if !isMoved.withLock({ $0 }) { unlink(path) }
  }

  /// Its size in bytes; 0 if it was never written.
  public var byteCount: Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Puts the file at its final place, at once and whole.
  public func move(to destination: String) throws(CacheError) {
    guard rename(path, destination) == 0 else { throw .file("rename a file to", destination, errno: errno) }
    isMoved.withLock { $0 = true }
  }
}
