package import Glibc
import Synchronization

/// An open directory, whose files are accessed by name with calls such as openat(2).
///
/// Replacing a link on its path doesn't redirect it to another directory.
package final class OpenDirectory: Sendable {
  /// The path with which the directory was opened.
  package let path: String
  private let descriptor: FileDescriptor
  /// Whether the directory's file system may be able to share the blocks of two files.
  private let clones = Atomic(true)

  /// `O_PATH`, which permits creating files in a directory that can't be listed. Swift's Glibc module lacks
  /// it.
  private static let pathOnly: Int32 = 0o10000000

  /// Opens a directory.
  /// - Throws: ``AtomicFile/Failure`` if the directory can't be opened.
  package init(_ path: String) throws(AtomicFile.Failure) {
    self.path = path
    do throws(SystemError) {
      descriptor = try FileDescriptor(opening: path, Self.pathOnly | O_DIRECTORY)
    } catch {
      throw AtomicFile.Failure(action: "open the directory \(path)", code: error.code)
    }
  }

  /// Opens a directory by its name in another.
  /// - Parameter path: The path for messages.
  init(_ name: String, in parent: OpenDirectory, path: String) throws(SystemError) {
    self.path = path
    let number = openat(parent.number, name, Self.pathOnly | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw .last }
    descriptor = FileDescriptor(number)
  }

  var number: Int32 { descriptor.number }

  /// Whether the directory still exists: false once it has been removed.
  package var isLinked: Bool { descriptor.isLinked }

  /// The absolute path with links resolved; nil if it can't be determined.
  package var realPath: String? {
    // One call, during which the path can't change. Without /proc, resolve the path component by component.
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/fd/\(number)", &buffer, buffer.count)
    return count > 0 && count < buffer.count
      ? String(decoding: buffer[..<count], as: UTF8.self) : RealPath.of(path)
  }

  /// What `lstat` says of a name in the directory.
  package func status(of name: String) throws(SystemError) -> stat {
    var status = stat()
    guard fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw .last }
    return status
  }

  /// Removes a name from the directory that isn't a directory's.
  package func remove(_ name: String) throws(SystemError) {
    guard unlinkat(number, name, 0) == 0 else { throw .last }
  }

  /// Lets an empty file share the blocks of another (`FICLONE`): XFS, Btrfs and bcachefs copy nothing then.
  func clone(_ source: Int32, to destination: Int32) -> Bool {
    guard clones.load(ordering: .relaxed) else { return false }
    if ioctl(destination, Self.cloneRequest, source) == 0 { return true }
    // Any other error is about these two files, such as EXDEV for a source on another file system.
    if [EOPNOTSUPP, ENOTTY, EINVAL, ENOSYS].contains(errno) { clones.store(false, ordering: .relaxed) }
    return false
  }

  /// `FICLONE` of <linux/fs.h>.
  private static let cloneRequest: UInt = 0x4004_9409

  /// Flushes the directory's entries to disk (fsync(2)).
  func sync() throws(SystemError) {
    let number = openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw .last }
    defer { close(number) }
    guard fsync(number) == 0 else { throw .last }
  }
}
