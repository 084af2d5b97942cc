package import Glibc
import SystemIO

/// The identity of a file: paths with equal identities lead to the same file.
package struct FileIdentity: Hashable, Sendable {
  /// The number of the device with the file (`st_dev`).
  package var device: Int
  /// The inode number (`st_ino`), unique on its device.
  package var inode: Int

  /// The identity in the result of `stat` or `fstat`.
  package init(_ status: stat) {
    device = Int(truncatingIfNeeded: status.st_dev)
    inode = Int(truncatingIfNeeded: status.st_ino)
  }

  /// The identity of the file at a path, following links; nil if the file doesn't exist or can't be reached.
  ///
  /// A path may lead through a directory that doesn't exist and out of it again. It leads to the file once the directory is
  /// made, and so has the file's identity.
  /// - Parameter path: The path of the file, absolute or relative to the current directory.
  package init?(path: String) {
    var status = stat()
    if stat(path, &status) != 0 {
      guard SystemError.last.isMissing, Paths.components(path).contains(".."),
        let real = RealPath.ofLongestPrefix(path), stat(real, &status) == 0
      else { return nil }
    }
    self.init(status)
  }
}

/// Detects whether a file has changed since it was hashed, without reading it.
///
/// The device number isn't included: it may change at a reboot, and every digest would be computed again. The time of
/// the last change is included, because programs can set the modification time back.
package struct FileFingerprint: Hashable, Sendable {
  /// The absolute path, with links not resolved.
  package var path: String
  /// The size in bytes (`st_size`).
  package var bytes: Int
  /// The time of the last modification (`st_mtim`), in nanoseconds since 1970.
  package var modifiedNanoseconds: Int
  /// The time of the last change of content or inode (`st_ctim`), in nanoseconds since 1970.
  package var changedNanoseconds: Int
  /// The inode number (`st_ino`), which changes if the file is replaced.
  package var inode: Int

  /// Creates a fingerprint from a file's status.
  /// - Parameters:
  ///   - path: The absolute path.
  ///   - bytes: The size in bytes.
  ///   - modifiedNanoseconds: The time of the last modification, in nanoseconds since 1970.
  ///   - changedNanoseconds: The time of the last change of content or inode, in nanoseconds since 1970.
  ///   - inode: The inode number.
  package init(path: String, bytes: Int, modifiedNanoseconds: Int, changedNanoseconds: Int, inode: Int) {
    self.path = path
    self.bytes = bytes
    self.modifiedNanoseconds = modifiedNanoseconds
    self.changedNanoseconds = changedNanoseconds
    self.inode = inode
  }

  /// The fingerprint in the result of `stat` or `fstat` for an absolute path.
  package init(path: String, status: stat) {
    self.init(
      path: path, bytes: Int(status.st_size), modifiedNanoseconds: status.st_mtim.nanoseconds,
      changedNanoseconds: status.st_ctim.nanoseconds, inode: Int(status.st_ino))
  }

  /// Whether the file may change again without a new fingerprint: the kernel's file times advance in steps of up to
  /// 10 ms.
  /// - Parameter time: The current time in nanoseconds since 1970.
  package func isRecent(at time: Int) -> Bool { time - changedNanoseconds < 20_000_000 }

  /// The checksum of the row that records `digest`.
  func checksum(_ digest: ContentDigest) -> String {
    var checksum = KeyBuilder("fingerprint-row")
    for field in [
      path, "\(bytes)", "\(modifiedNanoseconds)", "\(changedNanoseconds)", "\(inode)", digest.hex,
    ] { checksum.append(field) }
    return String(checksum.digest.hex.prefix(16))
  }

  /// The absolute form of a path, which fingerprints use.
  package static func absolute(_ path: String) -> String {
    guard !Paths.isAbsolute(path), let directory = Paths.currentDirectory else { return path }
    return directory + "/" + path
  }
}
