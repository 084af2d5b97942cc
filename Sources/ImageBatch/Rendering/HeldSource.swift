import Glibc
import ImageCaches
import ImageDownloads
import SystemIO

/// A source as it is handed to a renderer: the bytes that were digested, and no others.
///
/// An object of the store can't change. A local file can, at any time: it is opened once, the renderer reads through
/// this descriptor whatever happens to the name, and its stamp is compared with that of the digest before and after.
/// Without that, pixels of one file would be stored under the key of another.
struct HeldSource: Sendable {
  private let source: StoredSource
  /// Nil for an object of the store.
  private let file: FileDescriptor?

  /// Opens a local source.
  /// - Throws: `JobError` where it can't be opened, or isn't what was digested any more.
  init(_ source: StoredSource) throws(JobError) {
    self.source = source
    guard source.stamp != nil else {
      file = nil
      return
    }
    do throws(CacheError) {
      // Not blocking: a pipe may have come in the file's place.
      file = try FileDescriptor.open(source.path, O_RDONLY | O_NONBLOCK)
    } catch {
      throw JobError(code: .unreadable, stage: .read, message: error.message)
    }
    try check()
  }

  /// A path by which this process's children read the very file: whatever its name leads to by now.
  var path: String { file.map { "/proc/\(getpid())/fd/\($0.number)" } ?? source.path }

  /// Fails where the file isn't as it was when its digest was taken. What was made of it must not be used then.
  func check() throws(JobError) {
    guard let stamp = source.stamp else { return }
    guard let file, FileStamp(path: stamp.path, status: file.status) == stamp else { throw changed }
    // A second write within a step of the kernel's clock leaves the stamp as it was.
    guard !source.isStampCertain else { return }
    let digest: ContentDigest
    do throws(CacheError) {
      digest = try file.digest(path: source.path).digest
    } catch {
      throw JobError(code: .unreadable, stage: .read, message: error.message)
    }
    guard digest == source.digest else { throw changed }
  }

  private var changed: JobError {
    JobError(
      code: .sourceChanged, stage: .read,
      message:
        "the file '\(source.path)' changed while the run was reading it; run again when it is complete",
      isTemporary: true)
  }
}
