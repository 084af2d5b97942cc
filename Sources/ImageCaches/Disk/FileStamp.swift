import Glibc

/// What the file system says of a file without its bytes being read: while it stays the same, so do they.
///
/// The change time is in it too: a file that is edited and has its modification time set back isn't missed.
struct FileStamp: Hashable, Sendable {
  let device: Int64
  let inode: Int64
  let size: Int64
  /// Nanoseconds since 1970.
  let modified: Int64
  /// Nanoseconds since 1970.
  let changed: Int64

  init(_ information: stat) {
    device = Int64(truncatingIfNeeded: information.st_dev)
    inode = Int64(truncatingIfNeeded: information.st_ino)
    size = Int64(information.st_size)
    modified = Self.nanoseconds(information.st_mtim)
    changed = Self.nanoseconds(information.st_ctim)
  }

  /// The stamp of the file at `path`, symbolic links followed; nil where there is no regular file.
  init?(ofFile path: String) {
    var information = stat()
    guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return nil }
    self.init(information)
  }

  /// Whether the file was changed so long before `now` that a later change must show: a file system's clock ticks
  /// in steps, and two writes within one step have one time.
  func isSettled(now: Int64) -> Bool { max(modified, changed) < now - 20_000_000 }

  /// Nanoseconds since 1970.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return nanoseconds(time)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
