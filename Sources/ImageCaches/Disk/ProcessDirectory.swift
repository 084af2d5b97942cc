import Glibc
import Synchronization
import SystemIO

/// A store's own directory in `tmp/`: files that are being written, and links that pin objects.
///
/// One lock stands for the whole directory, so that neither a file that waits to be written nor a pinned object costs a
/// descriptor: a run holds thousands of them. The kernel drops the lock when the process ends, however it ends; then
/// the next process that opens the store removes the directory.
final class ProcessDirectory: Sendable {
  private struct Opened {
    let path: String
    let lock: FileDescriptor
  }

  private struct State {
    var opened: Opened?
    /// For names that are used once.
    var count = 0
    /// The link that a further pin of an object shares.
    var current: [ContentDigest: Link] = [:]
    /// How many pins each link has.
    var pins: [Link: Int] = [:]
  }

  private let layout: StoreLayout
  private let state = Mutex(State())
  private static let lockSuffix = ".lock"

  init(layout: StoreLayout) { self.layout = layout }

  deinit { close() }

  // MARK: Files

  /// A path in the directory that no file has.
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

  /// A further link to an object's file: the bytes stay as long as it does, even if the object is removed.
  struct Link: Sendable, Hashable {
    let digest: ContentDigest
    let path: String
  }

  /// What came of pinning an object.
  enum Pinning {
    case linked(Link)
    /// There is no such object.
    case absent
    /// The file system has no links.
    case unsupported
  }

  /// Pins the object that is at `path`. Every pin needs its ``unpin(_:)``; pins of one object share a link.
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

  /// Lets go of one pin; the last takes the link away.
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

  /// Has the next pin of an object make a link of its own: the bytes of the present one are wrong.
  func forget(_ digest: ContentDigest) {
    state.withLock { $0.current[digest] = nil }
  }

  // MARK: Its life

  /// Removes the directory, if nothing in it is in use; the next use makes another.
  func close() {
    state.withLock { state in
      guard let opened = state.opened, rmdir(opened.path) == 0 else { return }
      unlink(opened.path + Self.lockSuffix)
      state.opened = nil
    }
  }

  private static func opened(_ state: inout State, _ layout: StoreLayout) throws(CacheError) -> Opened {
    // Somebody may have removed the cache's directory, or all that is in `tmp/`.
    if let opened = state.opened, opened.lock.isLinked, access(opened.path, F_OK) == 0 { return opened }
    while true {
      let path = "\(layout.temporaries)/\(getpid())-\(UInt64.random(in: .min ... .max))"
      // The lock comes before the directory and goes after it: a directory without a lock belongs to a dead process.
      guard let lock = try FileDescriptor.open(path + lockSuffix, O_RDWR | O_CREAT | O_EXCL) else {
        try layout.make()
        continue
      }
      // A process that starts just now may have taken the lock file for a dead one's.
      guard lock.lock(exclusive: true), lock.isLinked else { continue }
      try StoreLayout.makeDirectory(path, mode: 0o700)
      let opened = Opened(path: path, lock: lock)
      state.opened = opened
      return opened
    }
  }

  /// Removes what dead processes have left.
  static func removeDead(in layout: StoreLayout) throws(CacheError) {
    let names = try StoreLayout.names(in: layout.temporaries)
    let locks = Set(
      names.filter { $0.hasSuffix(lockSuffix) }.map { String($0.dropLast(lockSuffix.utf8.count)) })
    for name in names where !name.hasSuffix(lockSuffix) && !locks.contains(name) {
      // Files of older versions, each with a lock of its own, and directories without a lock.
      let path = "\(layout.temporaries)/\(name)"
      guard let file = try FileDescriptor.open(path, O_RDONLY), file.lock(exclusive: true, waits: false)
      else {
        continue
      }
      if file.status.st_mode & S_IFMT == S_IFDIR {
        // Made after the names were read, with its lock.
        if access(path + lockSuffix, F_OK) != 0 { try StoreLayout.removeTree(path) }
      } else {
        unlink(path)
      }
    }
    for name in locks {
      let path = "\(layout.temporaries)/\(name)"
      guard let lock = try FileDescriptor.open(path + lockSuffix, O_RDWR),
        lock.lock(exclusive: true, waits: false), lock.isLinked
      else { continue }
      if access(path, F_OK) == 0 { try StoreLayout.removeTree(path) }
      unlink(path + lockSuffix)
    }
  }
}
