import Glibc
package import ImageCaches
package import SystemIO

/// Reads the files of a rendering, and translates system errors to `RenderError`.
package enum FileReading {
  /// The first 4 KiB, or all of a shorter file.
  package static func head(of place: FilePlace) throws(RenderError) -> [UInt8] {
    try reading(place) { () throws(SystemError) in try place.start(count: 4096) }
  }

  /// The whole file, up to `limit` bytes.
  /// - Throws: `RenderError` with code `tooManyBytes` if the file is longer.
  package static func contents(of place: FilePlace, atMost limit: Int) throws(RenderError) -> [UInt8] {
    try reading(place, limit: limit) { () throws(SystemError) in try place.contents(limit: limit) }
  }

  /// A file to read at any place. Its reader must call ``check(_:of:)`` before it takes a missing byte for the end.
  static func opened(_ place: FilePlace) throws(RenderError) -> FileBytes {
    try reading(place) { () throws(SystemError) in try FileBytes(place) }
  }

  /// The first bytes of an open file, or all of a shorter one.
  static func head(of file: borrowing FileBytes, _ limit: Int, _ place: FilePlace) throws(RenderError)
    -> [UInt8]
  {
    do throws(SystemError) { return try file.head(limit) } catch { throw unreadable(place, error) }
  }

  /// Checks that every byte that was missing lies past the end: a broken disk must not pass for a broken image.
  /// - Throws: `RenderError` with code `unreadable`.
  static func check(_ failure: SystemError?, of place: FilePlace) throws(RenderError) {
    try reading(place) { () throws(SystemError) in if let failure { throw failure } }
  }

  /// A file's size and SHA-256, read in chunks.
  package static func digest(of place: FilePlace) throws(RenderError) -> (bytes: Int, digest: ContentDigest) {
    try reading(place) { () throws(SystemError) in
      let (digest, bytes) = try place.withDescriptor { (number) throws(SystemError) in
        try FileDescriptor(SystemError.retrying { fcntl(number, F_DUPFD_CLOEXEC, 0) }).digest()
      }
      return (bytes, digest)
    }
  }

  /// The size and SHA-256 of the file at a path.
  package static func digest(of path: String) throws(RenderError) -> (bytes: Int, digest: ContentDigest) {
    try digest(of: .path(path))
  }

  private static func reading<Value: ~Copyable>(
    _ place: FilePlace, limit: Int = .max, _ body: () throws(SystemError) -> Value
  ) throws(RenderError) -> Value {
    do throws(SystemError) {
      return try body()
    } catch {
      guard error.code != EFBIG else {
        throw RenderError(
          code: .tooManyBytes, stage: .decode,
          message: "the file is longer than \(limit >> 20) MiB; make it smaller")
      }
      throw unreadable(place, error)
    }
  }

  private static func unreadable(_ place: FilePlace, _ error: SystemError) -> RenderError {
    RenderError(code: .unreadable, stage: .decode, message: "can't read \(place): \(error.text)")
  }
}
