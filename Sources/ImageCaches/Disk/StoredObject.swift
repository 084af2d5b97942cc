import SystemIO

/// Bytes in the store, held: as long as a copy of this value or its pin lives, they can be read at ``path``.
public struct StoredObject: Sendable {
  /// The SHA-256 of the bytes; it was checked in this run.
  public let digest: ContentDigest
  /// Where they can be read while ``pin`` lives.
  public let path: String
  /// How many they are.
  public let byteCount: Int
  /// Keeps the bytes.
  public let pin: ObjectPin
}

/// Keeps an object's bytes from being purged, by this process or by another: a further link to its file, or, where the
/// file system has no links, a shared `flock` on it. Both end with the process, however it ends.
public final class ObjectPin: Sendable {
  private enum Hold {
    case link(ProcessDirectory.Link, ProcessDirectory)
    case lock(FileDescriptor)
  }

  private let hold: Hold

  init(_ link: ProcessDirectory.Link, in directory: ProcessDirectory) { hold = .link(link, directory) }

  init(_ file: FileDescriptor) { hold = .lock(file) }

  deinit {
    if case .link(let link, let directory) = hold { directory.unpin(link) }
  }
}
