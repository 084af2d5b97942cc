import Glibc
import SystemIO

/// A file whose bytes serve as locks between processes. The kernel releases a process's locks when it ends or dies.
///
/// The locks belong to the open file description (`F_OFD_SETLK`, fcntl(2)), not to the process: closing another
/// descriptor of the file doesn't release them, and two stores in one process exclude each other.
final class RangeLockFile: Sendable {
  private let file: FileDescriptor

  /// Opens or creates the file.
  init(path: String) throws(CacheError) {
    guard let file = try FileDescriptor.open(path, O_RDWR | O_CREAT, mode: 0o600) else {
      throw .file("open", path, errno: ENOENT)
    }
    self.file = file
  }

  /// Locks one byte without waiting.
  /// - Returns: false if another process has it locked. On a file system without locks, the result is always true.
  func lock(_ offset: Int64, exclusive: Bool) -> Bool {
    var range = Self.range(offset, exclusive ? F_WRLCK : F_RDLCK)
    while fcntl(file.number, Self.set, &range) != 0 {
      if errno != EINTR { return errno != EAGAIN && errno != EACCES }
    }
    return true
  }

  func unlock(_ offset: Int64) {
    var range = Self.range(offset, F_UNLCK)
    _ = fcntl(file.number, Self.set, &range)
  }

  /// Whether another open file description has a shared or exclusive lock on the byte.
  func isLockedByOthers(_ offset: Int64) -> Bool {
    var range = Self.range(offset, F_WRLCK)
    return fcntl(file.number, Self.get, &range) == 0 && Int32(range.l_type) != F_UNLCK
  }

  /// Notifies the processes that watch the file, by writing to it.
  func ring() {
    var byte: UInt8 = 0
    // If the disk is full, the write fails, and the watchers check a little later by timer.
    _ = pwrite(file.number, &byte, 1, 0)
  }

  private static func range(_ offset: Int64, _ type: Int32) -> flock {
    flock(
      l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: off_t(offset), l_len: 1,
      // Must be 0 for F_OFD locks.
      l_pid: 0)
  }

  /// `F_OFD_GETLK` and `F_OFD_SETLK` of linux/fcntl.h, which Swift's Glibc module lacks.
  private static let get: Int32 = 36
  private static let set: Int32 = 37
}
