import Glibc
import SystemIO

/// Puts a file in its place whole or not at all: by a rename in its own directory, after its bytes are on the disk.
package enum AtomicFile {
  /// Why a file could not be put in place.
  package struct Failure: Error {
    /// What was attempted, as in "can't …".
    package let action: String
    /// `errno`.
    package let code: Int32

    /// What happened, in words.
    package var message: String { "can't \(action): \(SystemError(code: code).text)" }
  }

  /// `O_TMPFILE`, which the C library shows to no Swift program: an unnamed file in the directory that is opened.
  private static let unnamedFile: Int32 = 0o20000000 | O_DIRECTORY

  /// Copies the file at `source` to `destination`, which is replaced if it is there and keeps its mode.
  /// - Parameter replacing: Whether a file at `destination` may be replaced.
  /// - Returns: false where it may not, and there is one.
  @discardableResult
  package static func copy(
    _ source: String, to destination: String, replacing: Bool = true
  ) throws(Failure) -> Bool {
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw Failure(action: "read \(source)", code: errno) }
    defer { close(input) }
    return try write(to: destination, replacing: replacing) { (output) throws(Failure) in
      try transfer(from: input, to: output, source: source, destination: destination)
    }
  }

  /// Writes `bytes` to `destination`, which is replaced if it is there and keeps its mode.
  package static func write(_ bytes: some Sequence<UInt8>, to destination: String) throws(Failure) {
    let bytes = Array(bytes)
    try write(to: destination) { (output) throws(Failure) in
      do throws(SystemError) { try FileIO.write(bytes, to: output) } catch {
        throw Failure(action: "write \(destination)", code: error.code)
      }
    }
  }

  /// All bytes of the file at `path`.
  static func read(_ path: String) throws(Failure) -> [UInt8] {
    do throws(SystemError) { return try File.contents(of: path) } catch {
      throw Failure(action: "read \(path)", code: error.code)
    }
  }

  /// The file has no name until it is complete, where the file system can do that (`O_TMPFILE`): then not even a
  /// `kill -9` leaves a trace. Elsewhere it has a hidden name beside its destination.
  @discardableResult
  private static func write(
    to destination: String, replacing: Bool = true, _ body: (Int32) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    let entry = DirectoryEntry(destination)
    let directory = entry.directory
    let hidden = "\(directory)/.\(entry.name.prefix(100)).\(UInt64.random(in: 0 ... .max)).tmp"
    var output = open(directory, unnamedFile | O_WRONLY | O_CLOEXEC, 0o666)
    let isNameless = output >= 0
    if !isNameless { output = open(hidden, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o666) }
    guard output >= 0 else { throw Failure(action: "create a file in \(directory)", code: errno) }
    var isInPlace = false
    defer {
      close(output)
      if !isInPlace { unlink(hidden) }
    }
    var old = stat()
    if stat(destination, &old) == 0 {
      guard old.st_mode & S_IFMT == S_IFREG else {
        throw Failure(
          action: "replace \(destination), which is no regular file",
          code: old.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
      }
      if fchmod(output, old.st_mode & 0o7777) != 0 {
        throw Failure(action: "set the mode of \(destination)", code: errno)
      }
    }
    try body(output)
    guard fdatasync(output) == 0 else { throw Failure(action: "write \(destination)", code: errno) }
    if isNameless {
      guard linkat(AT_FDCWD, "/proc/self/fd/\(output)", AT_FDCWD, hidden, AT_SYMLINK_FOLLOW) == 0 else {
        throw Failure(action: "create a file in \(directory)", code: errno)
      }
    }
    if !replacing {
      // A link, unlike a rename, fails where something is in the place.
      if link(hidden, destination) == 0 { return true }
      if errno == EEXIST { return false }
      throw Failure(action: "put \(destination) in place", code: errno)
    }
    guard rename(hidden, destination) == 0 else {
      throw Failure(action: "put \(destination) in place", code: errno)
    }
    isInPlace = true
    return true
  }

  private static func transfer(
    from input: Int32, to output: Int32, source: String, destination: String
  ) throws(Failure) {
    var isWriting = false
    do throws(SystemError) {
      try FileIO.forEachPiece(of: input, pieceSize: 1 << 18) { (piece) throws(SystemError) in
        isWriting = true
        try FileIO.write(piece, to: output)
        isWriting = false
      }
    } catch {
      throw Failure(action: isWriting ? "write \(destination)" : "read \(source)", code: error.code)
    }
  }
}
