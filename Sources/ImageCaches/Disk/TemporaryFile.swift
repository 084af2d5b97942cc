import Glibc

/// A file that is being written. It is removed with its last reference, unless it was inserted into the store.
public final class TemporaryFile: Sendable {
  /// Its path; nothing else has a file there.
  public let path: String

  init(path: String) { self.path = path }

  deinit { unlink(path) }
}

/// Keeps an object's bytes readable at ``path``, whatever is purged meanwhile, by this process or another.
///
/// It is a hard link of the process's own: no process needs to know what others use.
public final class ObjectPin: Sendable {
  /// The object.
  public let digest: ContentDigest
  /// A file with its bytes, to be read only.
  public let path: String
  private let ownsPath: Bool

  init(digest: ContentDigest, path: String, ownsPath: Bool) {
    self.digest = digest
    self.path = path
    self.ownsPath = ownsPath
  }

  deinit { if ownsPath { unlink(path) } }
}
