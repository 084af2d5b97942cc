import Glibc
import SystemIO

/// A file whose bytes are locks between processes. The kernel drops a process's locks when it ends, however it ends.
///
/// These are locks of the opening (`F_OFD_SETLK`, fcntl(2)), not of the process: closing another descriptor of the file
/// doesn't drop them, and two stores of one process exclude each other.
final class RangeLockFile: Sendable {
  private let file: FileDescriptor

  /// Opens the file, or makes it.
  init(path: String) throws(CacheError) {
    guard let file = try FileDescriptor.open(path, O_RDWR | O_CREAT, mode: 0o600) else {
      throw .file("open", path, errno: ENOENT)
    }
    self.file = file
  }

  /// Locks one byte without waiting.
  /// - Returns: whether it is locked. A file system without locks excludes no other process.
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

  /// Whether another opening has a lock on the byte, shared or exclusive.
  func isLockedByOthers(_ offset: Int64) -> Bool {
    var range = Self.range(offset, F_WRLCK)
    return fcntl(file.number, Self.get, &range) == 0 && Int32(range.l_type) != F_UNLCK
  }

  /// Has everybody who watches the file look again.
  func ring() {
    var byte: UInt8 = 0
    // Nobody reads it. If the disk is full, those who watch look again a little later by themselves.
    _ = pwrite(file.number, &byte, 1, 0)
  }

  private static func range(_ offset: Int64, _ type: Int32) -> flock {
    flock(
      l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: off_t(offset), l_len: 1,
      // The kernel wants 0 for locks of an opening.
      l_pid: 0)
  }

  /// `F_OFD_GETLK` and `F_OFD_SETLK` of linux/fcntl.h, which Swift's Glibc leaves out.
  private static let get: Int32 = 36
  private static let set: Int32 = 37
}
