package import Glibc
import SystemIO

/// Which file a path leads to, links followed: two paths with one identity are one file.
public struct FileIdentity: Hashable, Sendable {
  /// The file system's number (`st_dev`).
  public var device: Int
  /// The inode's number.
  public var inode: Int

  /// The identity in what `stat` or `fstat` returned.
  package init(_ status: stat) {
    device = Int(truncatingIfNeeded: status.st_dev)
    inode = Int(truncatingIfNeeded: status.st_ino)
  }

  /// The file at `path`, through links; nil if nothing is there or it can't be reached.
  public init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}

/// Tells whether a file is still the one that was hashed, without reading it.
///
/// The device isn't part of it: its number may change when the machine starts again, and then every digest would be
/// computed anew. The time of the last change is, since a program can set the time of modification back.
public struct FileStamp: Hashable, Sendable {
  /// The absolute path.
  public var path: String
  /// The size in bytes.
  public var bytes: Int
  /// The time of the last modification (`st_mtim`), in nanoseconds since 1970.
  public var modifiedNanoseconds: Int
  /// The time of the last change of content or inode (`st_ctim`), in nanoseconds since 1970.
  public var changedNanoseconds: Int
  /// The inode's number.
  public var inode: Int

  /// A stamp made of its parts.
  public init(path: String, bytes: Int, modifiedNanoseconds: Int, changedNanoseconds: Int, inode: Int) {
    self.path = path
    self.bytes = bytes
    self.modifiedNanoseconds = modifiedNanoseconds
    self.changedNanoseconds = changedNanoseconds
    self.inode = inode
  }

  /// The stamp in what `stat` or `fstat` returned for an absolute path.
  package init(path: String, status: stat) {
    self.init(
      path: path, bytes: Int(status.st_size), modifiedNanoseconds: status.st_mtim.nanoseconds,
      changedNanoseconds: status.st_ctim.nanoseconds, inode: Int(status.st_ino))
  }

  /// Whether the file may have changed again without a new stamp: the kernel's clock for file times moves in steps of
  /// up to 10 ms.
  package func isRecent(at time: Int) -> Bool { time - changedNanoseconds < 20_000_000 }

  /// A short hash of the row that remembers `digest`.
  func seal(_ digest: ContentDigest) -> String {
    var seal = KeyBuilder("stamp-row")
    for field in [
      path, "\(bytes)", "\(modifiedNanoseconds)", "\(changedNanoseconds)", "\(inode)", digest.hex,
    ] { seal.append(field) }
    return String(seal.digest.hex.prefix(16))
  }

  /// The path from the root: stamps are kept by it.
  package static func absolute(_ path: String) -> String {
    guard !Paths.isAbsolute(path), let directory = Paths.currentDirectory else { return path }
    return directory + "/" + path
  }
}
