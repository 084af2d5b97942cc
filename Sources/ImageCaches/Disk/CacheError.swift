import Glibc
import SystemIO

/// A failure of the disk store.
public struct CacheError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure; their raw values are stable.
  public enum Code: String, Sendable {
    /// A file or directory can't be read, created, written or removed.
    case fileSystem = "cache-file"
    /// The index can't be read or written, even after it was rebuilt.
    case index = "cache-index"
    /// The capacity is less than the preferred usage after a purge.
    case badCapacity = "cache-capacity"
  }

  /// The kind of failure, whose raw value appears in reports.
  public let code: Code
  /// The cause, for programs that advise the user.
  public let reason: Reason
  /// What failed, in one sentence, with the path.
  public let message: String

  /// The causes of failures, which determine the advice to the user.
  public enum Reason: String, Sendable, Codable, CaseIterable {
    /// The file system is full, or the user's quota is exhausted.
    case noSpace
    /// Permission is denied, or the file system is read-only.
    case notPermitted
    /// A file would grow beyond the limit of file sizes (`RLIMIT_FSIZE`).
    case fileSizeLimit
    /// The process, or the system, has too many open files (`RLIMIT_NOFILE`).
    case openFileLimit
    /// The directory of temporary files (`$TMPDIR`) can't be used.
    case temporaryDirectory
    /// The directory has files that no store has made.
    case foreignDirectory
    /// Any other problem with a file or a directory.
    case unusable
    /// The index file can't be used.
    case index
    /// The caller's arguments contradict each other.
    case request
  }

  package init(code: Code, _ reason: Reason, message: String) {
    self.code = code
    self.reason = reason
    self.message = message
  }

  /// The message, without the code.
  public var description: String { message }

  package static func file(_ action: String, _ path: String, errno number: Int32) -> CacheError {
    let reason: Reason =
      switch number {
      case ENOSPC, EDQUOT: .noSpace
      case EACCES, EPERM, EROFS: .notPermitted
      case EFBIG: .fileSizeLimit
      case EMFILE, ENFILE: .openFileLimit
      default: .unusable
      }
    return CacheError(
      code: .fileSystem, reason, message: "can't \(action) \(path): \(SystemError(code: number).text)")
  }
}
