package import Glibc

extension FileStamp {
  /// The stamp of an open file.
  package init(path: String, status: stat) {
    self.init(
      path: path, bytes: Int(status.st_size),
      modifiedNanoseconds: status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec,
      inode: Int(status.st_ino))
  }

  /// The path from the root: what stamps are kept by.
  package static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
    defer { free(directory) }
    return String(cString: directory) + "/" + path
  }
}

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
    // A file that changes while it is read isn't remembered.
    if FileStamp(path: absolute, status: file.status) == before { try recordDigests([before: digest]) }
    return digest
  }

  /// Remembers the digest of a file that was just written, so that nobody needs to read it.
  public func recordStamp(ofFile path: String, _ digest: ContentDigest) throws(CacheError) {
    guard let file = try FileDescriptor.open(path, O_RDONLY) else { return }
    try recordDigests([FileStamp(path: FileStamp.absolute(path), status: file.status): digest])
  }
}
