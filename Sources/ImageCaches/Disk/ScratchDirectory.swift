import Glibc
import SystemIO

/// A directory under `$TMPDIR` that is removed with its last reference. If its process is killed, the next process
/// finds its lock free and removes it.
final class ScratchDirectory: Sendable {
  let path: String
  private let lock: FileDescriptor?
  static let prefix = "imagemill-scratch-"

  init() throws(CacheError) {
    let parent = Paths.temporaryDirectory
    do throws(CacheError) {
      try Self.removeDead(in: parent)
      path = try Self.make(in: parent)
    } catch {
      throw [.openFileLimit, .noSpace].contains(error.reason)
        ? error : CacheError(code: error.code, .temporaryDirectory, message: error.message)
    }
    lock = try FileDescriptor.open(path + "/lock", O_RDWR | O_CREAT)
    _ = lock?.lock(exclusive: true)
  }

  private static func make(in parent: String) throws(CacheError) -> String {
    do throws(SystemError) {
      return try TemporaryName.makeDirectory("\(parent)/\(prefix)")
    } catch {
      // With the name that a directory would have had: it tells the temporary store from a cache.
      throw .file("create a directory", "\(parent)/\(prefix)…", errno: error.code)
    }
  }

  deinit { remove() }

  /// Removes the directory before its last reference is gone, as a process does that ends.
  func remove() {
    do {
      try StoreLayout.removeTree(path)
    } catch {
      // The lock is released with the last reference, so the next process tries again.
    }
  }

  private static func removeDead(in parent: String) throws(CacheError) {
    for name in try StoreLayout.names(in: parent) where name.hasPrefix(prefix) {
      let path = "\(parent)/\(name)"
      var status = stat()
      // Spare a directory without a lock: its process may be about to create the lock.
      guard lstat(path, &status) == 0, status.st_uid == getuid(), status.st_mode & S_IFMT == S_IFDIR,
        let lock = try FileDescriptor.open(path + "/lock", O_RDWR), lock.lock(exclusive: true, waits: false)
      else { continue }
      try StoreLayout.removeTree(path)
    }
  }
}
