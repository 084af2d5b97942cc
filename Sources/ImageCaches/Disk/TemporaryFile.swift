import Glibc
import Synchronization
package import SystemIO

/// A file in the store's `tmp/` that can be inserted as an object. Otherwise it is removed with its last reference.
public protocol StagedFile: Sendable {
  /// The path of the file in `tmp/`.
  var path: String { get }
  /// The size of the file now, in bytes.
  var byteCount: Int { get }
  /// Moves the file to its final place atomically (rename(2)).
  /// - Parameter destination: The path to move to, on the same file system. An existing file is replaced.
  /// - Throws: `CacheError` if the file can't be renamed.
  func move(to destination: String) throws(CacheError)
}

/// A temporary file that this process writes. It stays open.
public final class TemporaryFile: StagedFile {
  /// The path of the file in `tmp/`, valid until the file is moved.
  public let path: String
  package let file: FileDescriptor
  /// Whether the file outlives this object, because it was moved or is kept for another run.
  private let outlives = Mutex(false)

  init(path: String, file: FileDescriptor) {
    self.path = path
    self.file = file
  }

  deinit {
    if !outlives.withLock({ $0 }) { unlink(path) }
  }

  /// The size of the file now, in bytes.
  public var byteCount: Int { Int(file.status.st_size) }

  /// Appends bytes.
  /// - Parameter bytes: The bytes, which are read before this returns.
  /// - Throws: `CacheError` if the bytes can't be written.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(CacheError) {
    try file.write(bytes, path: path)
  }

  /// Moves the file to its final place atomically (rename(2)).
  /// - Parameter destination: The path to move to, on the same file system. An existing file is replaced.
  /// - Throws: `CacheError` if the file can't be renamed.
  public func move(to destination: String) throws(CacheError) {
    guard rename(path, destination) == 0 else { throw .file("rename a file to", destination, errno: errno) }
    outlives.withLock { $0 = true }
  }

  /// Keeps the file after its last reference is released.
  package func keep() {
    outlives.withLock { $0 = true }
  }
}

/// The path of a file that another process writes. It needs no descriptor.
public final class TemporaryPath: StagedFile {
  /// The path of the file, which may not exist yet.
  public let path: String
  private let isMoved = Mutex(false)

  init(path: String) { self.path = path }

  deinit {
    if !isMoved.withLock({ $0 }) { unlink(path) }
  }

  /// The size in bytes; 0 if the file doesn't exist.
  public var byteCount: Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Moves the file to its final place atomically (rename(2)).
  /// - Parameter destination: The path to move to, on the same file system. An existing file is replaced.
  /// - Throws: `CacheError` if the file can't be renamed.
  public func move(to destination: String) throws(CacheError) {
    guard rename(path, destination) == 0 else { throw .file("rename a file to", destination, errno: errno) }
    isMoved.withLock { $0 = true }
  }
}
