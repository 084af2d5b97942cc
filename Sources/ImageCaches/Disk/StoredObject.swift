public import struct FoundationEssentials.URL
import SystemIO

/// A pinned object of the store: its bytes can be read from ``file`` while a copy of this value or its pin lives.
public struct StoredObject: Sendable {
  /// The SHA-256 of the bytes, verified by this process.
  public let digest: ContentDigest
  /// The path of the bytes, valid while ``pin`` lives.
  package let path: String
  /// The file with the bytes, valid while ``pin`` lives.
  public var file: URL { URL(filePath: path) }
  /// The size of the object in bytes.
  public let byteCount: Int
  /// Protects the bytes from purges while it lives.
  public let pin: ObjectPin
}

/// Protects an object's bytes from purges by any process: with a hard link to its file, or with a shared `flock` if the
/// file system has no hard links. The kernel drops a dead process's lock; the next process removes its links.
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
