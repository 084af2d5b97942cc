import Glibc
package import SystemIO

extension DiskStore {
  /// The digest of a file outside the store: the recorded one if the fingerprint is unchanged, else a
  /// computed one.
  /// - Parameter path: The path of the file, absolute or relative to the current directory.
  /// - Throws: `CacheError` if the file can't be read, or the index can't be used.
  /// - Returns: nil if the file doesn't exist or isn't a regular file.
  package func digest(ofFile path: String) throws(CacheError) -> ContentDigest? {
    guard let file = try FileDescriptor.open(path, O_RDONLY), file.status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return try digest(of: file, path: path)
  }

  /// The digest of an open file outside the store.
  package func digest(of file: FileDescriptor, path: String) throws(CacheError) -> ContentDigest {
    let absolute = FileFingerprint.absolute(path)
    let before = FileFingerprint(path: absolute, status: file.status)
    if let known = try digests(forFiles: [before])[before] { return known }
    let digest = try file.digest(path: path).digest
    // Don't record a file that changed while it was read, or that may still change without a new fingerprint.
    if FileFingerprint(path: absolute, status: file.status) == before,
      !before.isRecent(at: SystemTime.nanoseconds)
    {
      try recordDigests([before: digest])
    }
    return digest
  }
}
