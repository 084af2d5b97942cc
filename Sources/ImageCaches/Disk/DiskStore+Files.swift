import Glibc
package import SystemIO

extension DiskStore {
  /// The digest of a file outside of the store: remembered if its stamp is unchanged, else computed and remembered.
  /// - Returns: nil where there is no such file, or it is no ordinary one.
  public func digest(ofFile path: String) throws(CacheError) -> ContentDigest? {
    guard let file = try FileDescriptor.open(path, O_RDONLY), file.status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return try digest(of: file, path: path)
  }

  /// The same for an open file.
  package func digest(of file: FileDescriptor, path: String) throws(CacheError) -> ContentDigest {
    let absolute = FileStamp.absolute(path)
    let before = FileStamp(path: absolute, status: file.status)
    if let known = try digests(forFiles: [before])[before] { return known }
    let digest = try file.digest(path: path).digest
    // A file that changes while it is read isn't remembered, nor one that may change without a new stamp.
    if FileStamp(path: absolute, status: file.status) == before, !before.isRecent(at: SystemTime.nanoseconds)
    {
      try recordDigests([before: digest])
    }
    return digest
  }
}
