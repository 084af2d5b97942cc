import Glibc
package import ImageCaches
import SystemIO

/// Reads the files of a rendering, and translates system errors to `RenderError`.
package enum FileReading {
  /// The first 4 KiB, or all of a shorter file.
  package static func head(of path: String) throws(RenderError) -> [UInt8] {
    try reading(path) { () throws(SystemError) in try File.start(of: path, count: 4096) }
  }

  /// The whole file, up to `limit` bytes.
  /// - Throws: `RenderError` with code `tooManyBytes` if the file is longer.
  package static func contents(of path: String, atMost limit: Int) throws(RenderError) -> [UInt8] {
    try reading(path, limit: limit) { () throws(SystemError) in try File.contents(of: path, limit: limit) }
  }

  /// A file to read at any place. Its reader must call ``check(_:of:)`` before it takes a missing byte for the end.
  static func opened(_ path: String) throws(RenderError) -> FileBytes {
    try reading(path) { () throws(SystemError) in try FileBytes(path: path) }
  }

  /// The first bytes of an open file, or all of a shorter one.
  static func head(of file: borrowing FileBytes, _ limit: Int, _ path: String) throws(RenderError) -> [UInt8]
  {
    do throws(SystemError) { return try file.head(limit) } catch { throw unreadable(path, error) }
  }

  /// Checks that every byte that was missing lies past the end: a broken disk must not pass for a broken image.
  /// - Throws: `RenderError` with code `unreadable`.
  static func check(_ failure: SystemError?, of path: String) throws(RenderError) {
    try reading(path) { () throws(SystemError) in if let failure { throw failure } }
  }

  /// A file's size and SHA-256, read in chunks.
  package static func digest(of path: String) throws(RenderError) -> (bytes: Int, digest: ContentDigest) {
    try reading(path) { () throws(SystemError) in
      let (digest, bytes) = try FileDescriptor(opening: path, O_RDONLY).digest()
      return (bytes, digest)
    }
  }

  private static func reading<Value: ~Copyable>(
    _ path: String, limit: Int = .max, _ body: () throws(SystemError) -> Value
  ) throws(RenderError) -> Value {
    do throws(SystemError) {
      return try body()
    } catch {
      guard error.code != EFBIG else {
        throw RenderError(
          code: .tooManyBytes, stage: .decode,
          message: "the file is longer than \(limit >> 20) MiB; make it smaller")
      }
      throw unreadable(path, error)
    }
  }

  private static func unreadable(_ path: String, _ error: SystemError) -> RenderError {
    RenderError(code: .unreadable, stage: .decode, message: "can't read \(path): \(error.text)")
  }
}
