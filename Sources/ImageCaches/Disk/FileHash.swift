import Crypto
import Glibc

/// The digest of a file's bytes, read in pieces.
enum FileHash {
  /// The digest of what an open descriptor has from its position on; nil, with `errno`, where it can't be read.
  static func digest(of descriptor: Int32) -> ContentDigest? {
    var hasher = SHA256()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      if count == 0 { return ContentDigest(hasher.finalize()) }
      if count > 0 {
        hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      } else if errno != EINTR {
        return nil
      }
    }
  }

  /// The digest of the file at `path`; nil, with `errno`, where it can't be read.
  static func digest(ofFile path: String) -> ContentDigest? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return digest(of: descriptor)
  }
}

extension ContentDigest {
  /// The digest of a file's bytes, read in pieces.
  public init(ofFile path: String) throws(CacheError) {
    guard let digest = FileHash.digest(ofFile: path) else {
      throw CacheError(.fileSystem, "can't read \(path): \(SystemError.text(errno))")
    }
    self = digest
  }
}
