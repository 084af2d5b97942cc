import Glibc
import SystemIO

/// What went wrong in the disk store.
public struct CacheError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure; their raw values are stable.
  public enum Code: String, Sendable {
    /// A file or directory can't be read, made, written or removed.
    case fileSystem = "cache-file"
    /// The index can't be read or written, even after it was made anew.
    case index = "cache-index"
    /// The two watermarks contradict each other.
    case badCapacity = "cache-capacity"
  }

  /// The kind of failure.
  public let code: Code
  /// One sentence: what failed, and what to do about it.
  public let message: String

  /// A failure.
  package init(code: Code, message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }

  package static func file(_ action: String, _ path: String, errno number: Int32) -> CacheError {
    let remedy =
      switch number {
      case ENOSPC, EDQUOT: "free some space, or name another place with --cache-dir"
      case EACCES, EPERM, EROFS: "check the permissions, or name another place with --cache-dir"
      default: "name another place with --cache-dir, or run with --no-cache"
      }
    return CacheError(
      code: .fileSystem, message: "can't \(action) \(path): \(SystemError(code: number).text); \(remedy)")
  }
}
