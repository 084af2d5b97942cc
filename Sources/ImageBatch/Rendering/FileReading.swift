import Glibc
import ImageCaches
import SystemIO

/// Reads the files of a rendering: what the system refuses is a failure of the job.
enum FileReading {
  /// The first 4 KiB, or all of a shorter file.
  static func head(of path: String) throws(JobError) -> [UInt8] {
    try reading(path) { () throws(SystemError) in try File.start(of: path, count: 4096) }
  }

  /// All of a file that isn't too long.
  static func contents(of path: String, atMost limit: Int) throws(JobError) -> [UInt8] {
    try reading(path, limit: limit) { () throws(SystemError) in try File.contents(of: path, limit: limit) }
  }

  /// A file's size and SHA-256, read a piece at a time.
  static func digest(of path: String) throws(JobError) -> (bytes: Int, digest: ContentDigest) {
    try reading(path) { () throws(SystemError) in
      let (digest, bytes) = try FileDescriptor(opening: path, O_RDONLY).digest()
      return (bytes, digest)
    }
  }

  private static func reading<Value>(
    _ path: String, limit: Int = .max, _ body: () throws(SystemError) -> Value
  ) throws(JobError) -> Value {
    do throws(SystemError) {
      return try body()
    } catch {
      guard error.code != EFBIG else {
        throw JobError(
          code: .tooManyBytes, stage: .decode,
          message: "the file is longer than \(limit >> 20) MiB; make it smaller")
      }
      throw JobError(code: .unreadable, stage: .decode, message: "\(path) can't be read: \(error.text)")
    }
  }
}

extension JobError {
  /// A file of the rendering couldn't be written.
  static func unwritable(_ path: String, _ error: SystemError) -> JobError {
    JobError(code: .writeFailed, stage: .write, message: "\(path) can't be written: \(error.text)")
  }
}
