import Glibc

/// The directory below `tmp/` that holds what this process is writing, and links to what it uses.
///
/// A lock file beside it is held as long as the process lives, so that others can tell the dead: theirs are removed
/// when a store is opened.
final class SessionDirectory: Sendable {
  let path: String
  private let lockPath: String
  private let lock: Int32

  /// A new one below `parent`.
  init(in parent: String) throws(CacheError) {
    while true {
      let name = "\(getpid())-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
      let candidate = "\(parent)/\(name).lock"
      let descriptor = open(candidate, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
      if descriptor < 0 && errno == EEXIST { continue }
      guard descriptor >= 0 else { throw CacheError("create \(candidate)", errno: errno) }
      var information = stat()
      // Between the two calls somebody who clears the dead may have taken it for one of them.
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &information) == 0,
        information.st_nlink > 0
      {
        lock = descriptor
        lockPath = candidate
        path = "\(parent)/\(name)"
        break
      }
      close(descriptor)
    }
    if mkdir(path, 0o700) != 0 {
      let code = errno
      unlink(lockPath)
      close(lock)
      throw CacheError("create \(path)", errno: code)
    }
  }

  /// Removes the directory with all that is in it.
  func remove() {
    FileTree.remove(path)
    unlink(lockPath)
  }

  deinit { close(lock) }

  /// Removes the directories of processes that are gone.
  static func removeDead(in parent: String) {
    for entry in FileTree.entries(of: parent) where entry.hasSuffix(".lock") {
      let lockPath = "\(parent)/\(entry)"
      let descriptor = open(lockPath, O_RDWR | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
        FileTree.remove("\(parent)/\(entry.dropLast(".lock".count))")
        unlink(lockPath)
      }
      close(descriptor)
    }
  }
}

/// Directories read and removed without following symbolic links.
enum FileTree {
  /// The names in a directory; none where it can't be read.
  static func entries(of path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Removes a file, or a directory with all that is in it, as far as that can be done.
  static func remove(_ path: String) {
    if unlink(path) == 0 || errno == ENOENT { return }
    for entry in entries(of: path) { remove("\(path)/\(entry)") }
    rmdir(path)
  }

  /// Makes a directory and those above it.
  static func make(_ path: String, mode: mode_t = 0o777) throws(CacheError) {
    if mkdir(path, mode) == 0 || errno == EEXIST { return }
    if errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      try make(String(path[..<slash]))
      if mkdir(path, mode) == 0 || errno == EEXIST { return }
    }
    throw CacheError("create the directory \(path)", errno: errno)
  }
}
