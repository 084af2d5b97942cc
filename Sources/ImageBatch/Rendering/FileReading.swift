import Crypto
import Glibc
import ImageCaches

/// Reads files with the system's own calls: what is read here is large or first, and neither wants Foundation.
enum FileReading {
  /// The first 4 KiB, or all of a shorter file.
  static func head(of path: String) throws(JobError) -> [UInt8] {
    let file = try opened(path)
    defer { close(file) }
    var head = [UInt8](repeating: 0, count: 4096)
    var count = 0
    while count < head.count {
      let got = head.withUnsafeMutableBytes {
        read(file, $0.baseAddress?.advanced(by: count), $0.count - count)
      }
      if got < 0 { throw failure("can't be read", path) }
      if got == 0 { break }
      count += got
    }
    return Array(head.prefix(count))
  }

  /// All of a file that isn't too long.
  static func contents(of path: String, atMost limit: Int) throws(JobError) -> [UInt8] {
    let file = try opened(path)
    defer { close(file) }
    var contents: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 17)
    while true {
      let got = piece.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
      if got < 0 { throw failure("can't be read", path) }
      if got == 0 { return contents }
      contents += piece.prefix(got)
      guard contents.count <= limit else {
        throw JobError(
          code: "too-many-bytes", stage: .decode,
          message: "the file is longer than \(limit >> 20) MiB; make it smaller")
      }
    }
  }

  /// A file's size and SHA-256, read a piece at a time.
  static func digest(of path: String) throws(JobError) -> (bytes: Int, digest: ContentDigest) {
    let file = try opened(path)
    defer { close(file) }
    var hasher = SHA256()
    var total = 0
    var piece = [UInt8](repeating: 0, count: 1 << 17)
    while true {
      let got = piece.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
      if got < 0 { throw failure("can't be read", path) }
      if got == 0 { break }
      piece.withUnsafeBytes { hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[0..<got])) }
      total += got
    }
    return (total, ContentDigest(hasher.finalize()))
  }

  private static func opened(_ path: String) throws(JobError) -> Int32 {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure("can't be opened", path) }
    return file
  }

  private static func failure(_ what: String, _ path: String) -> JobError {
    JobError(
      code: "unreadable", stage: .decode, message: "\(path) \(what): \(String(cString: strerror(errno)))")
  }
}
