import GRDB
import Glibc
import SystemIO

/// What a look at a cache directory finds. It changes nothing, and mends nothing: a ``DiskStore`` does that when it is
/// used.
public struct StoreHealth: Sendable {
  /// What the index is like.
  public enum Index: Sendable, Hashable {
    /// There is none yet; the first use makes it.
    case absent
    /// SQLite's `quick_check` finds nothing wrong.
    case sound
    /// What is wrong with it, or why it can't be read.
    case broken(String)
  }

  /// The directory, as it was named.
  public let directory: String
  /// Whether the directory is there.
  public let exists: Bool
  /// Whether it can be written in, or made where it is missing.
  public let isWritable: Bool
  /// The objects' total size in bytes, as the index tells it; nil where it can't.
  public let bytes: Int?
  /// How many objects there are; nil where the index can't tell.
  public let objects: Int?
  /// The state of `index.sqlite`.
  public let index: Index
  /// Bytes that are free for this user on the file system; nil where it can't be asked.
  public let freeBytes: Int?

  /// Looks at `directory`.
  public init(directory: String) {
    self.directory = directory
    exists = access(directory, F_OK) == 0
    let nearest = Self.nearestExisting(directory)
    isWritable = access(nearest, W_OK | X_OK) == 0
    freeBytes = Self.freeBytes(at: nearest)
    let layout = StoreLayout(root: directory)
    guard access(layout.index, F_OK) == 0 else {
      (index, bytes, objects) = (.absent, nil, nil)
      return
    }
    do {
      let found = try Self.read(layout.index)
      (index, bytes, objects) = (found.index, found.bytes, found.objects)
    } catch {
      let reason = (error as? DatabaseError)?.message ?? "\(error)"
      (index, bytes, objects) = (.broken(reason), nil, nil)
    }
  }

  /// Bytes that this user may still write to the file system of `path`; nil where the system doesn't tell.
  public static func freeBytes(at path: String) -> Int? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    return Int(status.f_bavail) * Int(status.f_frsize)
  }

  private static func read(_ path: String) throws -> (index: Index, bytes: Int?, objects: Int?) {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    return try queue.read { database in
      let findings = try String.fetchAll(database, sql: "PRAGMA quick_check(3)")
      guard findings == ["ok"] else { return (.broken(findings.joined(separator: "; ")), nil, nil) }
      guard try database.tableExists("totals"),
        let row = try Row.fetchOne(database, sql: "SELECT bytes, objects FROM totals")
      else { return (.broken("it lacks its tables"), nil, nil) }
      return (.sound, row.sound("bytes"), row.sound("objects"))
    }
  }

  private static func nearestExisting(_ path: String) -> String {
    var path = path
    while access(path, F_OK) != 0, path != ".", path != "/" { path = DirectoryEntry(path).directory }
    return path
  }
}
