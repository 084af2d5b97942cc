import Glibc
import SystemIO

/// A file that can't take a whole document: a named pipe, a socket or a disk.
struct SpecialFile {
  /// What the file is, with its article.
  let noun: String
  /// Whether the file is a named pipe, which a reader may have open.
  let isPipe: Bool

  /// Returns nil for any other file, and for a pipe or socket that the process has open.
  init?(at path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    isPipe = status.st_mode & S_IFMT == S_IFIFO
    switch status.st_mode & S_IFMT {
    case S_IFBLK: noun = "the disk"
    case S_IFIFO where !Self.isOpenFile(path): noun = "the named pipe"
    case S_IFSOCK where !Self.isOpenFile(path): noun = "the socket"
    default: return nil
    }
  }

  /// Whether a path leads to an open file of the process, such as `/dev/stdout`, or `/dev/fd/63` of a shell's `>(…)`.
  private static func isOpenFile(_ path: String) -> Bool {
    var path = path
    // As many links as the system follows.
    for _ in 0..<40 {
      if isOpenFileName(path) { return true }
      guard let target = linkTarget(of: path) else { return false }
      path = Paths.isAbsolute(target) ? target : Paths.joined(DirectoryEntry(path).directory, target)
    }
    return false
  }

  private static func isOpenFileName(_ path: String) -> Bool {
    path.hasPrefix("/proc/") || path.hasPrefix("/dev/fd/")
      || ["/dev/stdin", "/dev/stdout", "/dev/stderr"].contains(path)
  }

  /// The text of a symbolic link; nil for any other file.
  private static func linkTarget(of path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
  }
}
