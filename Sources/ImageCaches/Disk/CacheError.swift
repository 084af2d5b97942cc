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
  /// What made it fail, for programs that say what to do about it.
  public let reason: Reason
  /// One sentence: what failed.
  public let message: String

  /// What stood in the way.
  public enum Reason: String, Sendable, Codable, CaseIterable {
    /// The file system has no space left, or the user's quota is used up.
    case noSpace
    /// The permissions, or a file system that is read-only.
    case notPermitted
    /// Anything else about a file or a directory.
    case unusable
    /// The index's file.
    case index
    /// What the caller asked for contradicts itself.
    case request
  }

  /// A failure.
  package init(code: Code, _ reason: Reason, message: String) {
    self.code = code
    self.reason = reason
    self.message = message
  }

  /// The message.
  public var description: String { message }

  package static func file(_ action: String, _ path: String, errno number: Int32) -> CacheError {
    let reason: Reason =
      switch number {
      case ENOSPC, EDQUOT: .noSpace
      case EACCES, EPERM, EROFS: .notPermitted
      default: .unusable
      }
    return CacheError(
      code: .fileSystem, reason, message: "can't \(action) \(path): \(SystemError(code: number).text)")
  }
}
