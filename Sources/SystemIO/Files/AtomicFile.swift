package import Glibc

/// Writes files atomically: a destination holds the complete file or its previous content, never a part.
///
/// The file has no name until it is complete (`O_TMPFILE`), so that even `kill -9` leaves no partial file
/// behind. File systems without unnamed files get a hidden file beside the destination, which is then
/// renamed.
package enum AtomicFile {
  /// The failure of a step.
  package struct Failure: Error {
    /// The failed action, phrased to follow "can't".
    package let action: String
    /// The value of `errno`.
    package let code: Int32

    /// Creates a failure.
    package init(action: String, code: Int32) { (self.action, self.code) = (action, code) }

    /// The action and the system's error text, as in `can't write a.png: No space left on device`.
    package var message: String { "can't \(action): \(SystemError(code: code).text)" }
  }

  /// The options of a write.
  package struct Options: Sendable {
    /// Whether to replace an existing file.
    package var replaces = true
    /// Whether to sync the file and its directory before returning. Otherwise a power failure may lose the
    /// file; a crash of the process can't.
    package var syncs = false
    /// Whether to use `O_TMPFILE` if the system supports it (default: yes).
    var isUnnamed = AtomicFile.namesUnnamedFiles

    /// Creates options.
    package init(replaces: Bool = true, syncs: Bool = false) {
      (self.replaces, self.syncs) = (replaces, syncs)
    }
  }

  /// `O_TMPFILE`, which creates an unnamed file in a directory. Swift's Glibc module lacks it.
  private static let unnamedFile: Int32 = 0o20000000 | O_DIRECTORY

  /// Whether `/proc` is mounted, which some containers lack: linkat(2) names an unnamed file by its path
  /// there.
  private static let namesUnnamedFiles = access("/proc/self/fd", F_OK) == 0

  // MARK: By path

  /// Copies the file at `source` to `destination`. A replaced file's permissions are kept.
  /// - Returns: Whether the file was written; false if `destination` exists and may not be replaced.
  /// - Throws: `Failure` if the source can't be read or the destination can't be written.
  @discardableResult
  package static func copy(
    _ source: String, to destination: String, options: Options = Options()
  ) throws(Failure) -> Bool {
    let entry = DirectoryEntry(destination)
    let directory = try OpenDirectory(entry.directory)
    return try copy(source, to: entry.name, in: directory, options: options) != nil
  }

  /// Writes `bytes` to `destination`, replacing an existing file only if `options` allow it. A replaced
  /// file's permissions are kept.
  package static func write(
    _ bytes: some Sequence<UInt8>, to destination: String, options: Options = Options()
  ) throws(Failure) {
    let bytes = Array(bytes)
    try fill(destination, options: options) { (output) throws(SystemError) in
      try FileIO.write(bytes, to: output)
    }
  }

  /// Puts what `body` writes at `destination`, whose mode stays if it is replaced.
  /// - Parameter body: Gets the descriptor of the new file, which has no name or a hidden one.
  package static func fill(
    _ destination: String, options: Options = Options(), _ body: (Int32) throws(SystemError) -> Void
  ) throws(Failure) {
    let entry = DirectoryEntry(destination)
    let place = Place(directory: try OpenDirectory(entry.directory), name: entry.name)
    _ = try place.write(options) { (output) throws(Failure) in
      do throws(SystemError) { try body(output) } catch {
        throw Failure(action: "write \(destination)", code: error.code)
      }
    }
  }

  /// Reads a whole file.
  package static func read(_ path: String) throws(Failure) -> [UInt8] {
    do throws(SystemError) { return try File.contents(of: path) } catch {
      throw Failure(action: "read \(path)", code: error.code)
    }
  }

  // MARK: In an open directory

  /// Copies the file at `source` to `name` in `directory`, by sharing blocks if the file system supports it.
  /// - Returns: The new file's status; nil if the name exists and may not be replaced.
  /// - Throws: `Failure` if the source can't be read or the destination can't be written.
  package static func copy(
    _ source: String, to name: String, in directory: OpenDirectory, options: Options
  ) throws(Failure) -> stat? {
    let input: FileDescriptor
    do throws(SystemError) { input = try FileDescriptor(opening: source, O_RDONLY) } catch {
      throw Failure(action: "read \(source)", code: error.code)
    }
    let place = Place(directory: directory, name: name)
    return try place.write(options) { (output) throws(Failure) in
      if directory.clone(input.number, to: output) { return }
      do throws(SystemError) { try FileIO.copy(from: input.number, to: output) } catch {
        throw Failure(action: "write \(place.path)", code: error.code)
      }
    }
  }

  /// A destination: a name in an open directory.
  private struct Place {
    let directory: OpenDirectory
    let name: String

    var path: String { directory.path == "." ? name : Paths.joined(directory.path, name) }
    func write(_ options: Options, _ body: (Int32) throws(Failure) -> Void) throws(Failure) -> stat? {
      if options.isUnnamed {
        let output = openat(directory.number, ".", unnamedFile | O_WRONLY | O_CLOEXEC, 0o666)
        if output >= 0 {
          defer { close(output) }
          return try writeUnnamed(output, options, body)
        }
        // Kernels and file systems without O_TMPFILE return EISDIR, because they try to open "." itself for
        // writing.
        guard errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL else {
          throw failure("create a file in \(directory.path)")
        }
      }
      return try writeHidden(options, body)
    }

    private func writeUnnamed(
      _ output: Int32, _ options: Options, _ body: (Int32) throws(Failure) -> Void
    ) throws(Failure) -> stat? {
      try fill(output, options, body)
      let unnamed = "/proc/self/fd/\(output)"
      if linkat(AT_FDCWD, unnamed, directory.number, name, AT_SYMLINK_FOLLOW) != 0 {
        guard errno == EEXIST else { throw failure("put \(path) in place") }
        guard options.replaces else { return nil }
        try takeMode(output)
        // linkat(2) can't replace a file: link the unnamed file to a hidden name and rename that.
        let hidden = HiddenName.make()
        HiddenName.lock(output)
        guard linkat(AT_FDCWD, unnamed, directory.number, hidden, AT_SYMLINK_FOLLOW) == 0 else {
          throw failure("create a file in \(directory.path)")
        }
        try rename(hidden)
      }
      if options.syncs { try sync() }
      var status = stat()
      guard fstat(output, &status) == 0 else { throw failure("read the attributes of \(path)") }
      return status
    }

    private func writeHidden(
      _ options: Options, _ body: (Int32) throws(Failure) -> Void
    ) throws(Failure) -> stat? {
      let hidden = HiddenName.make()
      let output = openat(directory.number, hidden, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o666)
      guard output >= 0 else { throw failure("create a file in \(directory.path)") }
      HiddenName.lock(output)
      var isOpen = true
      do throws(Failure) {
        defer { if isOpen { close(output) } }
        try fill(output, options, body)
        if options.replaces { try takeMode(output) }
        // Network file systems may report a full disk only at close(2).
        isOpen = false
        guard close(output) == 0 else { throw failure("write \(path)") }
        if options.replaces {
          try rename(hidden)
        } else {
          defer { unlinkat(directory.number, hidden, 0) }
          // Unlike rename(2), linkat(2) fails if the name exists.
          guard linkat(directory.number, hidden, directory.number, name, 0) == 0 else {
            if errno == EEXIST { return nil }
            throw failure("put \(path) in place")
          }
        }
      } catch {
        unlinkat(directory.number, hidden, 0)
        throw error
      }
      if options.syncs { try sync() }
      var status = stat()
      guard fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
        throw failure("read the attributes of \(path)")
      }
      return status
    }

    private func fill(
      _ output: Int32, _ options: Options, _ body: (Int32) throws(Failure) -> Void
    ) throws(Failure) {
      try body(output)
      if options.syncs, fdatasync(output) != 0 { throw failure("write \(path)") }
    }

    /// Copies the permissions of the file to be replaced.
    private func takeMode(_ output: Int32) throws(Failure) {
      var old = stat()
      // Ignore a missing file. Also ignore a dangling link, which the rename replaces.
      guard fstatat(directory.number, name, &old, 0) == 0 else { return }
      guard old.st_mode & S_IFMT == S_IFREG else {
        let isDirectory = old.st_mode & S_IFMT == S_IFDIR
        throw Failure(
          action: "replace \(path)\(isDirectory ? "" : ", which isn't a regular file")",
          code: isDirectory ? EISDIR : EINVAL)
      }
      guard fchmod(output, old.st_mode & 0o7777) == 0 else { throw failure("set the mode of \(path)") }
    }

    private func rename(_ hidden: String) throws(Failure) {
      guard renameat(directory.number, hidden, directory.number, name) == 0 else {
        let failure = failure("put \(path) in place")
        unlinkat(directory.number, hidden, 0)
        throw failure
      }
    }

    private func sync() throws(Failure) {
      do throws(SystemError) { try directory.sync() } catch {
        throw Failure(action: "write \(directory.path)", code: error.code)
      }
    }

    private func failure(_ action: String) -> Failure { Failure(action: action, code: errno) }
  }
}
