import Glibc
import Synchronization
import SystemIO

/// A process's directory in `tmp/`, with temporary files and the links that pin objects.
///
/// One lock covers the directory, so that neither a temporary file nor a pin needs a descriptor: a run holds thousands
/// of them. The kernel releases the lock when the process ends or dies; then the next process that opens the store
/// removes the directory.
final class ProcessDirectory: Sendable {
  private struct Opened {
    let path: String
    let lock: FileDescriptor
  }

  private struct State {
    var opened: Opened?
    /// Whether the directory was removed for good.
    var isRemoved = false
    /// The counter for unique file names.
    var count = 0
    /// The link that new pins of an object share.
    var current: [ContentDigest: Link] = [:]
    /// The number of pins that share each link.
    var pins: [Link: Int] = [:]
  }

  private let layout: StoreLayout
  private let state = Mutex(State())
  private static let lockSuffix = ".lock"

  init(layout: StoreLayout) { self.layout = layout }

  deinit { close() }

  // MARK: Files

  /// Returns an unused path in the directory.
  func newPath() throws(CacheError) -> String {
    let result: Result<String, CacheError> = state.withLock { state in
      Result { () throws(CacheError) in
        let directory = try Self.opened(&state, layout)
        state.count += 1
        return "\(directory.path)/\(state.count)"
      }
    }
    return try result.get()
  }

  // MARK: Pins

  /// A hard link to an object's file, which keeps the bytes even if the object is removed.
  struct Link: Sendable, Hashable {
    let digest: ContentDigest
    let path: String
  }

  enum Pinning {
    case linked(Link)
    /// The object doesn't exist.
    case absent
    /// The file system doesn't support hard links.
    case unsupported
  }

  /// Pins the object at `path`; ``unpin(_:)`` must follow. Pins of one object share a link.
  func pin(_ digest: ContentDigest, at path: String) throws(CacheError) -> Pinning {
    let result: Result<Pinning, CacheError> = state.withLock { state in
      Result { () throws(CacheError) in
        if let link = state.current[digest] {
          state.pins[link, default: 0] += 1
          return .linked(link)
        }
        state.count += 1
        let link = Link(digest: digest, path: "\(try Self.opened(&state, layout).path)/\(state.count)")
        guard Glibc.link(path, link.path) == 0 else {
          switch errno {
          case ENOENT: return .absent
          case EXDEV, EPERM, EOPNOTSUPP, ENOSYS, EMLINK: return .unsupported
          default: throw .file("link", path, errno: errno)
          }
        }
        state.current[digest] = link
        state.pins[link] = 1
        return .linked(link)
      }
    }
    return try result.get()
  }

  /// Releases a pin. The last pin removes the link.
  func unpin(_ link: Link) {
    state.withLock { state in
      guard let count = state.pins[link] else { return }
      if count > 1 {
        state.pins[link] = count - 1
        return
      }
      state.pins[link] = nil
      if state.current[link.digest] == link { state.current[link.digest] = nil }
      unlink(link.path)
    }
  }

  /// Makes the next pin of an object create a new link, because the current link's bytes are damaged.
  func forget(_ digest: ContentDigest) {
    state.withLock { $0.current[digest] = nil }
  }

  // MARK: Opening and closing

  /// Removes the directory if it is empty. The next use creates another.
  func close() {
    state.withLock { state in
      guard let opened = state.opened, rmdir(opened.path) == 0 else { return }
      unlink(opened.path + Self.lockSuffix)
      state.opened = nil
    }
  }

  /// Removes the directory with everything that is still in it, such as pins, and its lock. There is no other one after it.
  func remove() {
    state.withLock { state in
      state.isRemoved = true
      guard let opened = state.opened else { return }
      // Another thread may still create a file at a path that it got before.
      for _ in 0..<Self.attempts {
        do throws(CacheError) {
          try StoreLayout.removeTree(opened.path)
          unlink(opened.path + Self.lockSuffix)
          state.opened = nil
          return
        } catch {
          // After the last attempt, it is left to the next process that opens the store.
        }
      }
    }
  }

  private static let attempts = 5

  private static func opened(_ state: inout State, _ layout: StoreLayout) throws(CacheError) -> Opened {
    guard !state.isRemoved else {
      throw .file("create a temporary file in", layout.temporaries, errno: ESHUTDOWN)
    }
    // A user may have removed the cache directory, or the contents of `tmp/`.
    if let opened = state.opened, opened.lock.isLinked, access(opened.path, F_OK) == 0 { return opened }
    while true {
      let path = "\(layout.temporaries)/\(getpid())-\(UInt64.random(in: .min ... .max))"
      // Create the lock before the directory and remove it after: a directory without a lock belongs to a dead process.
      guard let lock = try FileDescriptor.open(path + lockSuffix, O_RDWR | O_CREAT | O_EXCL) else {
        try layout.make()
        continue
      }
      // Another process that just started may have taken the lock file for a dead process's and removed it.
      guard lock.lock(exclusive: true), lock.isLinked else { continue }
      try StoreLayout.makeDirectory(path, mode: 0o700)
      let opened = Opened(path: path, lock: lock)
      state.opened = opened
      return opened
    }
  }

  /// Whether a name in `tmp/` is that of a directory or a lock of this type.
  static func isOwn(_ name: String) -> Bool {
    let numbers = (name.hasSuffix(lockSuffix) ? name.dropLast(lockSuffix.utf8.count) : name[...])
      .split(separator: "-", omittingEmptySubsequences: false)
    return numbers.count == 2 && numbers.allSatisfy { UInt64($0) != nil }
  }

  /// Removes the directories of dead processes. Entries with other names stay.
  static func removeDead(in layout: StoreLayout) throws(CacheError) {
    let names = try StoreLayout.names(in: layout.temporaries).filter(isOwn)
    let locks = Set(
      names.filter { $0.hasSuffix(lockSuffix) }.map { String($0.dropLast(lockSuffix.utf8.count)) })
    for name in names where !name.hasSuffix(lockSuffix) && !locks.contains(name) {
      let path = "\(layout.temporaries)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
      // If the lock exists now, both were created after the names were read.
      if access(path + lockSuffix, F_OK) != 0 { try StoreLayout.removeTree(path) }
    }
    for name in locks {
      let path = "\(layout.temporaries)/\(name)"
      guard let lock = try FileDescriptor.open(path + lockSuffix, O_RDWR | O_NONBLOCK),
        lock.lock(exclusive: true, waits: false), lock.isLinked
      else { continue }
      if access(path, F_OK) == 0 { try StoreLayout.removeTree(path) }
      unlink(path + lockSuffix)
    }
  }
}
