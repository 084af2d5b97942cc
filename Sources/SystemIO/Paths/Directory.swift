import Glibc

/// Directories of the file system.
package enum Directory {
  /// Makes a directory, and the parents that are missing. One that is there already stays as it is.
  ///
  /// The directory itself is tried first: most are there, and then this is one call. Nothing above a directory that is
  /// there need be writable.
  /// - Parameters:
  ///   - mode: What the process's mask takes bits from.
  ///   - parentMode: The same for parents; `mode` where nil.
  package static func create(
    _ path: String, mode: UInt32 = 0o777, parentMode: UInt32? = nil
  ) throws(SystemError) {
    if mkdir(path, mode) == 0 || errno == EEXIST { return }
    let failure = SystemError.last
    // A slash at the end isn't what parts it from its parent.
    let name = path.utf8.reversed().drop { $0 == UInt8(ascii: "/") }
    let parent = DirectoryEntry(String(decoding: name.reversed(), as: UTF8.self)).directory
    guard failure.code == ENOENT, parent != ".", parent != "/" else { throw failure }
    try create(parent, mode: parentMode ?? mode, parentMode: parentMode)
    if mkdir(path, mode) != 0, errno != EEXIST { throw .last }
  }

  /// Whether there is a directory at the path, behind links too.
  package static func exists(at path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// What is in a directory, without `.` and `..`.
  package struct Entry: Hashable, Sendable {
    /// In the bytes of the file system, which may be any but NUL and `/`.
    package let bytes: [UInt8]
    /// `DT_REG`, `DT_DIR`, `DT_LNK` and so on; `DT_UNKNOWN` where the file system doesn't say.
    package let type: Int32

    /// As text; bytes that aren't UTF-8 are replaced, so that this may name nothing.
    package var name: String { String(decoding: bytes, as: UTF8.self) }
  }

  /// Lists a directory, in no order.
  package static func entries(of path: String) throws(SystemError) -> [Entry] {
    guard let stream = opendir(path) else { throw .last }
    defer { closedir(stream) }
    var entries: [Entry] = []
    while true {
      // Only errno tells the end from a failure.
      errno = 0
      guard let found = readdir(stream) else { break }
      let bytes = withUnsafeBytes(of: &found.pointee.d_name) { name in
        Array(name.prefix { $0 != 0 })
      }
      guard bytes != [UInt8(ascii: ".")], bytes != Array("..".utf8) else { continue }
      entries.append(Entry(bytes: bytes, type: Int32(found.pointee.d_type)))
    }
    guard errno == 0 else { throw .last }
    return entries
  }

  /// Removes a directory with all that is in it, links unfollowed. What is gone already is no failure.
  package static func removeTree(_ path: String) throws(SystemError) {
    for entry in try existingEntries(of: path) {
      let child = path + "/" + entry.name
      var status = stat()
      guard lstat(child, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        try removeTree(child)
      } else if unlink(child) != 0, errno != ENOENT {
        throw .last
      }
    }
    if rmdir(path) != 0, errno != ENOENT { throw .last }
  }

  /// Like ``entries(of:)``; empty if the directory doesn't exist.
  package static func existingEntries(of path: String) throws(SystemError) -> [Entry] {
    do throws(SystemError) {
      return try entries(of: path)
    } catch {
      if error.code == ENOENT { return [] }
      throw error
    }
  }
}
