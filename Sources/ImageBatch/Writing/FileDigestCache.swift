import Glibc
import ImageCaches
import Synchronization
import SystemIO

/// A cache of output files' digests by their fingerprints, so that a run in which nothing has changed doesn't
/// read its outputs.
final class FileDigestCache: Sendable {
  private let store: DiskStore
  private let fresh = Mutex<[FileFingerprint: ContentDigest]>([:])
  private static let limit = 2000

  init(store: DiskStore) { self.store = store }

  /// A regular file and its fingerprint.
  struct File: Hashable, Sendable {
    let path: String
    let fingerprint: FileFingerprint

    /// Inspects the file at `path`; nil if it doesn't exist or isn't a regular file. Symbolic links aren't
    /// followed.
    init?(path: String) {
      var information = stat()
      guard lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return nil }
      self.path = path
      fingerprint = FileFingerprint(path: FileFingerprint.absolute(path), status: information)
    }
  }

  /// The files' digests, from the cache or computed now. Unreadable files are left out.
  func digests(of files: [File]) -> [File: ContentDigest] {
    guard !files.isEmpty else { return [:] }
    var digests: [File: ContentDigest] = [:]
    fresh.withLock { fresh in
      for file in files { digests[file] = fresh[file.fingerprint] }
    }
    let unknown = files.filter { digests[$0] == nil }
    let stored = storedDigests(unknown.map(\.fingerprint))
    for file in unknown {
      if let digest = stored[file.fingerprint] {
        digests[file] = digest
      } else if let digest = hash(file.path) {
        digests[file] = digest
        // Don't record a file that changed while it was read.
        if File(path: file.path) == file { remember(file.fingerprint, digest) }
      }
    }
    return digests
  }

  /// Whether the file at a path is as the run of its record has written it.
  func isUnchanged(_ entry: RegistryEntry, at path: String) -> Bool {
    guard let file = File(path: path) else { return false }
    return digests(of: [file])[file] == entry.digest
  }

  private func storedDigests(_ fingerprints: [FileFingerprint]) -> [FileFingerprint: ContentDigest] {
    do throws(CacheError) {
      return try store.digests(forFiles: fingerprints)
    } catch {
      store.noteRepair(error)
      return [:]
    }
  }

  /// Records the digest of a file that was just written, with its status afterwards.
  func remember(_ path: String, _ status: stat, _ digest: ContentDigest) {
    remember(FileFingerprint(path: FileFingerprint.absolute(path), status: status), digest)
  }

  /// Writes the pending digests to the index.
  func flush() throws(CacheError) {
    let fingerprints = fresh.withLock { fresh in
      defer { fresh = [:] }
      return fresh
    }
    if !fingerprints.isEmpty { try store.recordDigests(fingerprints) }
  }

  private func remember(_ fingerprint: FileFingerprint, _ digest: ContentDigest) {
    let isFull = fresh.withLock { fresh in
      fresh[fingerprint] = digest
      return fresh.count >= Self.limit
    }
    guard isFull else { return }
    do throws(CacheError) { try flush() } catch { store.noteRepair(error) }
  }

  /// Computes a file's digest; nil if it can't be read. Such a file counts as missing, and writing the output
  /// reports the error.
  private func hash(_ path: String) -> ContentDigest? {
    do throws(CacheError) {
      return try FileDescriptor.open(path, O_RDONLY)?.digest(path: path).digest
    } catch {
      store.noteRepair(error)
      return nil
    }
  }
}
