/// Why the disk store could not do what was asked.
public struct CacheError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failure; their raw values are stable.
  public enum Code: String, Sendable, Codable {
    /// The directory or a file in it can't be made, read or written.
    case fileSystem = "cache-file-system"
    /// The index can't be read or written.
    case index = "cache-index"
  }

  /// The kind of failure.
  public let code: Code
  /// One sentence: what failed, and what to do about it.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The failure of a system call, by `errno`.
  init(_ action: String, errno code: Int32) {
    self.init(
      .fileSystem,
      "can't \(action): \(SystemError.text(code)); choose another cache with --cache-dir or use --no-cache")
  }

  /// The message.
  public var description: String { message }
}

/// Something that the store mended or could not keep, and that the user should know.
public struct CacheNotice: Sendable, Hashable {
  /// One sentence.
  public let message: String
}
