import FoundationEssentials
import Glibc

/// Files that the user names. Their paths are any text at all, so they go to the system as they are: Foundation's
/// functions for paths trap on some.
enum UserFile {
  /// A call to the system that failed.
  struct Failure: Error {
    /// `errno`.
    let code: Int32
    /// Why, in the system's words.
    var reason: String { String(cString: strerror(code)) }
  }

  /// Whether there is something at the path, links followed.
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// All bytes of a file; one of more than `limit` bytes fails with `EFBIG`.
  static func read(_ path: String, limit: Int = 1 << 30) throws(Failure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(code: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Failure(code: errno) }
      if count == 0 { return bytes }
      guard bytes.count + count <= limit else { throw Failure(code: EFBIG) }
      bytes += piece[..<count]
    }
  }

  /// Whether the file begins as no text does: with a NUL among its first bytes.
  static func isBinary(_ path: String) throws(Failure) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(code: errno) }
    defer { close(descriptor) }
    var piece = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor, &piece, piece.count)
    guard count >= 0 else { throw Failure(code: errno) }
    return piece[..<count].contains(0)
  }

  /// Writes a file, which is made or replaced.
  static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Failure(code: errno) }
    do throws(StreamFailure) {
      try StandardStream.write(bytes, to: descriptor)
    } catch {
      close(descriptor)
      throw Failure(code: error.code)
    }
    guard close(descriptor) == 0 else { throw Failure(code: errno) }
  }
}
