import Crypto
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
    let stamp = FileStamp(Self.absolute(path), information)
    if let digest = fresh.withLock({ $0[stamp] }) { return digest }
    do throws(CacheError) {
      if let digest = try store.digests(forFiles: [stamp])[stamp] { return digest }
    } catch {
      store.noteRepair(error.message)
    }
    guard let digest = Self.hash(path) else { return nil }
    var after = stat()
    // What changed while it was read is not remembered.
    if lstat(path, &after) == 0, FileStamp(Self.absolute(path), after) == stamp { remember(stamp, digest) }
    return digest
  }

  /// Remembers a file that has just been put in place.
  func remember(_ path: String, _ digest: ContentDigest) {
    var information = stat()
    guard lstat(path, &information) == 0 else { return }
    remember(FileStamp(Self.absolute(path), information), digest)
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

  private static let workingDirectory: String = {
    guard let text = getcwd(nil, 0) else { return "" }
    defer { free(text) }
    return String(cString: text)
  }()

  private static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : OutputDirectory.normalised(workingDirectory + "/" + path)
  }

  private static func hash(_ path: String) -> ContentDigest? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var hasher = SHA256()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      if count == 0 { return ContentDigest(hasher.finalize()) }
      if count > 0 {
        hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      } else if errno != EINTR {
        return nil
      }
    }
  }
}

extension FileStamp {
  fileprivate init(_ path: String, _ information: stat) {
    self.init(
      path: path, bytes: Int(information.st_size),
      modifiedNanoseconds: Int(information.st_mtim.tv_sec) * 1_000_000_000 + Int(information.st_mtim.tv_nsec),
      inode: Int(information.st_ino))
  }
}
