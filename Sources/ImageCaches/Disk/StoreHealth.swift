import GRDB
import Glibc
import SystemIO

/// The state of a cache directory. Reading it repairs nothing; a ``DiskStore`` repairs its directory when it is used.
package struct StoreHealth: Sendable {
  /// The state of the index, as SQLite's `quick_check` finds it.
  package enum Index: Sendable, Hashable {
    /// The index doesn't exist; the first use creates it.
    case absent
    /// The index passes SQLite's `quick_check`.
    case sound
    /// The index is damaged or can't be read, for this reason.
    case broken(String)
  }

  /// The path of the directory, as given.
  package let directory: String
  /// Whether the directory exists now.
  package let exists: Bool
  /// Whether the directory is writable, or can be created if it is missing.
  package let isWritable: Bool
  /// The total size of the objects in bytes; nil if the index can't be read.
  package let bytes: Int?
  /// The number of objects; nil if the index can't be read.
  package let objects: Int?
  /// The state of the file `index.sqlite`.
  package let index: Index
  /// The directory's own limit in bytes, initially 2 GiB; nil if it can't be read.
  package let limit: Int?
  /// What is wrong with the file of the limit; nil if nothing is.
  package let limitProblem: String?
  /// The bytes available to this user on the file system; nil if unknown.
  package let freeBytes: Int?

  /// Reads the state of a directory, with at most three findings of `quick_check`.
  /// - Parameter directory: The path of the cache directory, which may not exist.
  package init(directory: String) {
    self.directory = directory
    let nearest = Self.nearestExisting(directory)
    let isThere = access(directory, F_OK) == 0
    exists = isThere
    isWritable = access(nearest, W_OK | X_OK) == 0 && (isThere || Self.takesDirectories(nearest))
    freeBytes = Self.freeBytes(at: nearest)
    let layout = StoreLayout(root: directory)
    var problem: String?
    do throws(CacheError) {
      limit = try CacheLimit.read(layout) { problem = $0 } ?? CacheLimit.initial
    } catch {
      limit = nil
      problem = error.description
    }
    limitProblem = problem
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

  /// The bytes available to this user on a file system.
  /// - Parameter path: The path of any existing file or directory on it.
  /// - Returns: nil if `statvfs` fails, such as for a path that doesn't exist.
  package static func freeBytes(at path: String) -> Int? {
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
      else { return (.broken("its tables are missing"), nil, nil) }
      return (.sound, row.validated("bytes"), row.validated("objects"))
    }
  }

  /// Whether directories can be made in a directory that access(2) calls writable. For root it calls procfs so, which
  /// takes none. Such a file system has no blocks, and neither has a tmpfs without a limit: there, only an attempt tells.
  private static func takesDirectories(_ parent: String) -> Bool {
    var status = statvfs()
    guard statvfs(parent, &status) == 0, status.f_blocks == 0 else { return true }
    let attempt = "\(parent)/.imagemill-\(getpid())"
    return mkdir(attempt, 0o700) == 0 && rmdir(attempt) == 0
  }

  private static func nearestExisting(_ path: String) -> String {
    var path = path
    while access(path, F_OK) != 0, path != ".", path != "/" { path = DirectoryEntry(path).directory }
    return path
  }
}
