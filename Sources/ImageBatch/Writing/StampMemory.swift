import Glibc
import ImageCaches
import Synchronization

/// The digests of files in place, remembered by what the file system says of them, so that a run in which nothing
/// has changed needn't read its outputs.
final class StampMemory: Sendable {
  private let store: DiskStore
  private let fresh = Mutex<[FileStamp: ContentDigest]>([:])
  private static let limit = 2000

  init(store: DiskStore) { self.store = store }

  /// The digest of the file at `path`, of which `stat` has said `information`; nil where it can't be read.
  func digest(ofFile path: String, _ information: stat) -> ContentDigest? {
    let stamp = FileStamp(path: FileStamp.absolute(path), status: information)
    if let digest = fresh.withLock({ $0[stamp] }) { return digest }
    do throws(CacheError) {
      if let digest = try store.digests(forFiles: [stamp])[stamp] { return digest }
    } catch {
      store.noteRepair(error.message)
    }
    guard let digest = hash(path) else { return nil }
    var after = stat()
    // What changed while it was read is not remembered.
    if lstat(path, &after) == 0, FileStamp(path: FileStamp.absolute(path), status: after) == stamp {
      remember(stamp, digest)
    }
    return digest
  }

  /// Remembers a file that has just been put in place.
  func remember(_ path: String, _ digest: ContentDigest) {
    var information = stat()
    guard lstat(path, &information) == 0 else { return }
    remember(FileStamp(path: FileStamp.absolute(path), status: information), digest)
  }

  /// Writes what is remembered to the index.
  func flush() throws(CacheError) {
    let stamps = fresh.withLock { fresh in
      defer { fresh = [:] }
      return fresh
    }
    if !stamps.isEmpty { try store.recordDigests(stamps) }
  }

  private func remember(_ stamp: FileStamp, _ digest: ContentDigest) {
    let isFull = fresh.withLock { fresh in
      fresh[stamp] = digest
      return fresh.count >= Self.limit
    }
    guard isFull else { return }
    do throws(CacheError) { try flush() } catch { store.noteRepair(error.message) }
  }

  /// nil for a file that can't be read: it counts as not in place, and writing it says why it can't be.
  private func hash(_ path: String) -> ContentDigest? {
    do throws(CacheError) {
      return try FileDescriptor.open(path, O_RDONLY)?.digest(path: path).digest
    } catch {
      store.noteRepair(error.message)
      return nil
    }
  }
}
