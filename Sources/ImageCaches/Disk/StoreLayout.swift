import Glibc
import SystemIO

/// The paths in a store's directory.
struct StoreLayout: Sendable {
  let root: String
  var index: String { root + "/index.sqlite" }
  var indexLock: String { root + "/index.lock" }
  /// The file of ``RequestLocks``.
  var requestLocks: String { root + "/requests.lock" }
  var objects: String { root + "/objects" }
  var temporaries: String { root + "/tmp" }
  /// Interrupted downloads that may be resumed.
  var partials: String { root + "/partial" }
  /// Small files that programs keep about their runs, by names of their own.
  var records: String { root + "/last" }
  /// The file of ``CacheLimit``.
  var limit: String { root + "/limit" }
  var tag: String { root + "/CACHEDIR.TAG" }

  /// An object's path: `objects/ab/cd…`, with the first two digits of the digest as the directory.
  func object(_ digest: ContentDigest) -> String {
    "\(objects)/\(digest.hex.prefix(2))/\(digest.hex.dropFirst(2))"
  }

  /// Throws if a directory without a tag has files that a store would replace or remove, and that no store has made.
  func refuseForeign() throws(CacheError) {
    var status = stat()
    guard lstat(tag, &status) != 0, let found = try foreignPath() else { return }
    throw CacheError(
      code: .fileSystem, .foreignDirectory,
      message:
        "the directory \(root) isn't a cache, and has a '\(found)' that a cache would replace or remove")
  }

  /// The first path below the root, in the place of something of a store, that no store has made; nil if there is none. A
  /// store's own may be there without a tag if the directory was removed during a run.
  private func foreignPath() throws(CacheError) -> String? {
    func isHex(_ name: some StringProtocol, _ count: Int) -> Bool {
      name.utf8.count == count && name.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }
    func foreignName(in directory: String, _ isOwn: (String) -> Bool) throws(CacheError) -> String? {
      var status = stat()
      guard lstat(directory, &status) == 0 else { return nil }
      let name = Paths.fileName(directory)
      guard status.st_mode & S_IFMT == S_IFDIR else { return String(name) }
      return try Self.names(in: directory).first { !isOwn($0) }.map { "\(name)/\($0)" }
    }
    let directories: [(String, (String) -> Bool)] = [
      (objects, { isHex($0, 2) }), (temporaries, ProcessDirectory.isOwn), (partials, Self.isPartial),
      (records, { $0.hasSuffix(".ndjson") && isHex($0.dropLast(7), 16) }),
    ]
    for (directory, isOwn) in directories {
      if let found = try foreignName(in: directory, isOwn) { return found }
    }
    for prefix in try Self.names(in: objects) {
      if let found = try foreignName(in: "\(objects)/\(prefix)", { isHex($0, 62) }) {
        return "objects/\(found)"
      }
    }
    var status = stat()
    for path in [indexLock, requestLocks] where lstat(path, &status) == 0 && status.st_size > 0 {
      return String(Paths.fileName(path))
    }
    // The other files are made after the directories.
    let hasObjects = lstat(objects, &status) == 0
    for path in [index, limit] where !hasObjects && lstat(path, &status) == 0 {
      return String(Paths.fileName(path))
    }
    return nil
  }

  /// Whether a name in `partial/` is that of an interrupted download, or of what is known about it.
  static func isPartial(_ name: String) -> Bool {
    ContentDigest(hex: name.hasSuffix(".json") ? String(name.dropLast(5)) : name) != nil
  }

  /// Creates missing directories, and the tag that tells backup programs to skip them (https://bford.info/cachedir/).
  func make() throws(CacheError) {
    try Self.makeDirectory(root, mode: 0o700)
    // First, since another process that sees the directories without it would refuse them.
    try makeTag()
    for directory in [objects, temporaries, partials] { try Self.makeDirectory(directory, mode: 0o700) }
    try keepPrivate()
  }

  private func makeTag() throws(CacheError) {
    guard let file = try FileDescriptor.open(tag, O_WRONLY | O_CREAT, mode: 0o644) else { return }
    guard file.status.st_size == 0 else { return }
    let text = """
      Signature: 8a477f597d28d172789f06886806bc55
      # This directory is a cache of imagemill, which recreates deleted files when it needs them.

      """
    try file.write(Array(text.utf8), path: tag)
  }

  /// Takes the permissions of others off what names sources: the store's directory may have existed before, readable for
  /// all. A store whose owner has opened the objects to others keeps them.
  private func keepPrivate() throws(CacheError) {
    var status = stat()
    guard stat(objects, &status) == 0, status.st_mode & 0o077 == 0 else { return }
    for path in [index, index + "-wal", index + "-shm", indexLock, requestLocks, records] {
      guard lstat(path, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 != 0,
        status.st_mode & S_IFMT != S_IFLNK
      else { continue }
      guard chmod(path, status.st_mode & 0o700) == 0 || errno == ENOENT else {
        throw .file("set the mode of", path, errno: errno)
      }
    }
  }

  /// Creates a directory and its parents.
  static func makeDirectory(_ path: String, mode: mode_t) throws(CacheError) {
    do throws(SystemError) {
      try Directory.create(path, mode: mode, parentMode: 0o755)
    } catch {
      throw .file("create the directory", path, errno: error.code)
    }
  }

  /// The names in a directory; empty if it doesn't exist.
  static func names(in directory: String) throws(CacheError) -> [String] {
    do throws(SystemError) {
      return try Directory.existingEntries(of: directory).map(\.name)
    } catch {
      throw .file("list", directory, errno: error.code)
    }
  }

  /// Whether something other than a regular file, such as a directory, is at an object's path; false if
  /// nothing is.
  static func isForeign(_ path: String) throws(CacheError) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return false }
      throw .file("open", path, errno: errno)
    }
    return status.st_mode & S_IFMT != S_IFREG
  }

  /// Removes a foreign entry: a directory with its contents, a pipe or a link.
  static func removeForeign(_ path: String) throws(CacheError) {
    if unlink(path) == 0 || errno == ENOENT { return }
    guard errno == EISDIR || errno == EPERM else { throw .file("remove", path, errno: errno) }
    try removeTree(path)
  }

  static func removeTree(_ path: String) throws(CacheError) {
    do throws(SystemError) {
      try Directory.removeTree(path)
    } catch {
      throw .file("remove", path, errno: error.code)
    }
  }
}
