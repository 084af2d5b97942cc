import Glibc

/// A call to the system that failed.
struct SystemError: Error {
  /// `errno`.
  let code: Int32

  /// Writes all of `bytes`, whatever a single `write` takes.
  static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, bytes.count - written)
      }
      if count >= 0 {
        written += count
      } else if errno != EINTR {
        throw SystemError(code: errno)
      }
    }
  }
}
