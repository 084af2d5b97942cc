import Glibc
import SystemIO

/// The limit that belongs to a cache directory, whichever process opens it: a number of bytes in the file `limit`.
///
/// A limit given by one program can't belong to the directory: a run with a small one would purge what the runs of all
/// others keep, and a run without one would cut a large cache to the default.
enum CacheLimit {
  /// The limit of a directory that has none of its own, in bytes.
  static let initial = 2 << 30

  /// The limit in bytes; nil if the directory has none, or if the file isn't a number of bytes: a damaged cache fails no
  /// run.
  /// - Parameter damaged: Receives a sentence for the user if the file isn't a number of bytes.
  /// - Throws: `CacheError` if the file can't be read.
  static func read(_ layout: StoreLayout, damaged: (String) -> Void) throws(CacheError) -> Int? {
    let bytes: [UInt8]?
    do throws(SystemError) {
      bytes = try File.contents(of: layout.limit, limit: 64)
    } catch {
      if error.isMissing { return nil }
      guard error.code == EFBIG else { throw .file("read", layout.limit, errno: error.code) }
      bytes = nil
    }
    let text = String(decoding: bytes ?? [], as: UTF8.self)
    guard let limit = Int(text.filter { !$0.isWhitespace }), limit >= 0 else {
      damaged(
        "\(layout.limit) doesn't contain a number of bytes; the default limit applies until a new one is set")
      return nil
    }
    return limit
  }

  /// Replaces the limit.
  static func write(_ bytes: Int, to layout: StoreLayout) throws(CacheError) {
    do throws(AtomicFile.Failure) {
      try AtomicFile.write(Array("\(bytes)\n".utf8), to: layout.limit)
    } catch {
      throw .file("write", layout.limit, errno: error.code)
    }
  }
}

extension DiskStore {
  /// Sets the limit that belongs to the directory, for every later store on it, and purges what exceeds it.
  /// - Parameter bytes: The total size of the objects above which a purge starts, in bytes, 0 or more.
  /// - Throws: `CacheError` if the limit can't be written, or a file can't be removed.
  /// - Returns: The number of bytes freed.
  @discardableResult
  public func setLimit(_ bytes: Int) throws(CacheError) -> Int {
    guard bytes >= 0 else {
      throw CacheError(code: .badCapacity, .request, message: "a cache's limit must be 0 or more")
    }
    try CacheLimit.write(bytes, to: layout)
    guard try usage().bytes > bytes else { return 0 }
    return try purge(to: bytes / 10 * 6)
  }
}
