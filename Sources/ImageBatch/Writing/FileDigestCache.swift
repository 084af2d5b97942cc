import Glibc
import ImageCaches
import Synchronization
import SystemIO

/// The digests of files in place, remembered by what the file system says of them, so that a run in which nothing
/// has changed needn't read its outputs.
final class FileDigestCache: Sendable {
  private let store: DiskStore
  private let fresh = Mutex<[FileFingerprint: ContentDigest]>([:])
  private static let limit = 2000

  init(store: DiskStore) { self.store = store }

  /// A file in place, with what the file system says of it.
  struct File: Hashable, Sendable {
    let path: String
    let fingerprint: FileFingerprint

    /// The ordinary file at `path`; nil where there is none. A symbolic link is none.
    init?(path: String) {
      var information = stat()
      guard lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return nil }
      self.path = path
      fingerprint = FileFingerprint(path: FileFingerprint.absolute(path), status: information)
    }
  }

  /// The digests of files, remembered or computed; those that can't be read have none.
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
        // What changed while it was read is not remembered.
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

  /// Remembers a file that has just been put in place with this status.
  func remember(_ path: String, _ status: stat, _ digest: ContentDigest) {
    remember(FileFingerprint(path: FileFingerprint.absolute(path), status: status), digest)
  }

  /// Writes what is remembered to the index.
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

  /// nil for a file that can't be read: it counts as not in place, and writing it says why it can't be.
  private func hash(_ path: String) -> ContentDigest? {
    do throws(CacheError) {
      return try FileDescriptor.open(path, O_RDONLY)?.digest(path: path).digest
    } catch {
      store.noteRepair(error)
      return nil
    }
  }
}
