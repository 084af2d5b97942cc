import Glibc

/// Whole files by their paths, which go to the system as they are: Foundation's functions trap on some.
package enum File {
  /// Whether something is at the path, links followed.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The size in bytes, links followed.
  package static func size(of path: String) throws(SystemError) -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .last }
    return Int(status.st_size)
  }

  /// All bytes of a file.
  /// - Throws: `EFBIG` for one of more than `limit` bytes.
  package static func contents(of path: String, limit: Int = .max) throws(SystemError) -> [UInt8] {
    let descriptor = try FileIO.open(path, O_RDONLY)
    defer { close(descriptor) }
    return try FileIO.readToEnd(descriptor, limit: limit)
  }

  /// The first `count` bytes, or all of a shorter file.
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

  /// Writes a file, which is made or emptied first. A failure may leave a part of it.
  package static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    try filling(path) { (descriptor) throws(SystemError) in try FileIO.write(bytes, to: descriptor) }
  }

  /// Copies a file; one that is at `destination` is emptied first. A failure leaves none there.
  package static func copy(_ source: String, to destination: String) throws(SystemError) {
    let input = try FileIO.open(source, O_RDONLY)
    defer { close(input) }
    do throws(SystemError) {
      try filling(destination) { (output) throws(SystemError) in try FileIO.copy(from: input, to: output) }
    } catch {
      unlink(destination)
      throw error
    }
  }

  /// Some file systems say only when a file is closed that there was no room.
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
    // EINTR isn't asked again: on Linux the descriptor is closed by then.
    guard close(descriptor) == 0 else { throw .last }
  }
}
