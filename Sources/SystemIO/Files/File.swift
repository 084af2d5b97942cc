import Glibc

/// Operations on whole files by path. They pass paths to the system unchanged; Foundation's functions trap on
/// some paths.
package enum File {
  /// Whether a file of any type exists at `path`. Follows links.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The file's size in bytes. Follows links.
  package static func size(of path: String) throws(SystemError) -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .last }
    return Int(status.st_size)
  }

  /// Reads a whole file.
  /// - Throws: `SystemError`; with code `EFBIG` if the file has more than `limit` bytes.
  package static func contents(of path: String, limit: Int = .max) throws(SystemError) -> [UInt8] {
    let descriptor = try FileIO.open(path, O_RDONLY)
    defer { close(descriptor) }
    return try FileIO.readToEnd(descriptor, limit: limit)
  }

  /// Reads the first `count` bytes, or all bytes of a shorter file.
  package static func start(of path: String, count: Int) throws(SystemError) -> [UInt8] {
    let descriptor = try FileIO.open(path, O_RDONLY)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: count)
    while bytes.count < count {
      let found = try FileIO.read(descriptor, into: &buffer)
      if found == 0 { break }
      bytes += buffer.prefix(min(found, count - bytes.count))
    }
    return bytes
  }

  /// Writes a file in place, creating or truncating it first. A failure may leave a partial file; use
  /// ``AtomicFile`` for outputs.
  package static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    try filling(path) { (descriptor) throws(SystemError) in try FileIO.write(bytes, to: descriptor) }
  }

  /// Writes a file in place, from memory that isn't an array.
  package static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws(SystemError) {
    try filling(path) { (descriptor) throws(SystemError) in try FileIO.write(bytes, to: descriptor) }
  }

  /// Copies a file, overwriting `destination` in place. A failure removes `destination`.
  package static func copy(_ source: String, to destination: String) throws(SystemError) {
    try FilePlace.path(source).copy(to: destination)
  }

  /// Copies an open file from its start, whatever its position, which doesn't change.
  static func copy(from input: Int32, to destination: String) throws(SystemError) {
    do throws(SystemError) {
      try filling(destination) { (output) throws(SystemError) in
        var place = 0
        while try SystemError.retrying({ sendfile(output, input, &place, 1 << 24) }) > 0 {}
      }
    } catch {
      unlink(destination)
      throw error
    }
  }

  /// Creates or truncates a file, calls `body`, and closes the file. Some file systems report a full disk
  /// only at close(2).
  private static func filling(
    _ path: String, _ body: (Int32) throws(SystemError) -> Void
  ) throws(SystemError) {
    let descriptor = try FileIO.open(path, O_WRONLY | O_CREAT | O_TRUNC)
    do throws(SystemError) {
      try body(descriptor)
    } catch {
      close(descriptor)
      throw error
    }
    // Don't retry after EINTR: Linux has already closed the descriptor, and another thread may have reused
    // its number.
    guard close(descriptor) == 0 else { throw .last }
  }
}
