import Glibc

/// Creates, lists and removes directories.
package enum Directory {
  /// Creates a directory and its missing parents. Succeeds if the path exists already.
  ///
  /// It tries the directory itself before its parents: usually it exists, and one call suffices. Parents of
  /// an existing directory needn't be writable.
  /// - Parameters:
  ///   - mode: The permissions, before the umask is applied.
  ///   - parentMode: The permissions of missing parents, before the umask is applied (default: `mode`).
  /// - Throws: `SystemError` if a directory can't be created.
  package static func create(
    _ path: String, mode: UInt32 = 0o777, parentMode: UInt32? = nil
  ) throws(SystemError) {
    if mkdir(path, mode) == 0 || errno == EEXIST { return }
    let failure = SystemError.last
    // Without its trailing slashes, the path's last slash separates its name from its parent.
    let name = path.utf8.reversed().drop { $0 == UInt8(ascii: "/") }
    let parent = DirectoryEntry(String(decoding: name.reversed(), as: UTF8.self)).directory
    guard failure.code == ENOENT, parent != ".", parent != "/" else { throw failure }
    try create(parent, mode: parentMode ?? mode, parentMode: parentMode)
    if mkdir(path, mode) != 0, errno != EEXIST { throw .last }
  }

  /// Whether a directory exists at `path`. Follows links.
  package static func exists(at path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// An entry of a directory.
  package struct Entry: Hashable, Sendable {
    /// The name as the file system stores it: any bytes except NUL and `/`.
    package let bytes: [UInt8]
    /// The type (`DT_REG`, `DT_DIR`, `DT_LNK` …); `DT_UNKNOWN` if the file system doesn't report it.
    package let type: Int32

    /// The name as text. Invalid UTF-8 is replaced, so that the result may not name the file.
    package var name: String { String(decoding: bytes, as: UTF8.self) }

    /// The path in a directory, both for functions of the C library: bytes that end in NUL.
    package func path(in directory: [CChar]) -> [CChar] {
      directory.dropLast() + [CChar(bitPattern: UInt8(ascii: "/"))] + bytes.map { CChar(bitPattern: $0) } + [
        0
      ]
    }
  }

  /// Lists a directory without `.` and `..`, in no particular order.
  package static func entries(of path: String) throws(SystemError) -> [Entry] {
    try entries(of: Array(path.utf8CString))
  }

  private static func entries(of path: [CChar]) throws(SystemError) -> [Entry] {
    guard let stream = opendir(path) else { throw .last }
    defer { closedir(stream) }
    var entries: [Entry] = []
    while true {
      // readdir returns nil both at the end and on failure; only errno distinguishes them.
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

  /// Removes a directory and its contents, without following links. Ignores files that don't exist, because
  /// another process may remove them at the same time.
  package static func removeTree(_ path: String) throws(SystemError) {
    try removeTree(Array(path.utf8CString))
  }

  private static func removeTree(_ path: [CChar]) throws(SystemError) {
    for entry in try existingEntries(of: path) {
      let child = entry.path(in: path)
      var status = stat()
      // Not the entry's type, which some file systems don't report.
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
    try existingEntries(of: Array(path.utf8CString))
  }

  private static func existingEntries(of path: [CChar]) throws(SystemError) -> [Entry] {
    do throws(SystemError) {
      return try entries(of: path)
    } catch {
      if error.code == ENOENT { return [] }
      throw error
    }
  }
}
