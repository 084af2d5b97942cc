import Glibc

/// Copies a file that was just written.
enum FileCopying {
  static func copy(_ from: String, to destination: String) throws(JobError) {
    let source = open(from, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw failure(from) }
    defer { close(source) }
    let target = open(destination, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard target >= 0 else { throw failure(destination) }
    var copied: Int
    repeat { copied = sendfile(target, source, nil, 1 << 20) } while copied > 0
    let reason = errno
    guard close(target) == 0, copied == 0 else {
      unlink(destination)
      errno = reason
      throw failure(destination)
    }
  }

  private static func failure(_ path: String) -> JobError {
    JobError(
      code: "write-failed", stage: .write,
      message: "\(path) can't be written: \(String(cString: strerror(errno)))")
  }
}
