import Glibc
import ImageCaches
import ImageDownloads
import SystemIO

/// A source that is pinned to the bytes that were digested.
///
/// A stored object never changes, but a local file can. It is opened once, the renderer reads through that
/// descriptor even if the path is replaced, and the fingerprint is checked before and after rendering.
/// Otherwise, pixels of one file could be stored under another file's key.
struct HeldSource: Sendable {
  private let source: StoredSource
  /// nil for a stored object.
  private let file: FileDescriptor?

  /// Opens a local source.
  /// - Throws: `JobError` of stage `read`: `unreadable` if the file can't be opened, `sourceChanged` if it has
  ///   changed since it was digested.
  init(_ source: StoredSource) throws(JobError) {
    self.source = source
    guard source.fingerprint != nil else {
      file = nil
      return
    }
    do throws(CacheError) {
      // O_NONBLOCK: if a FIFO has replaced the file, open(2) would block.
      file = try FileDescriptor.open(source.path, O_RDONLY | O_NONBLOCK)
    } catch {
      throw JobError(code: .unreadable, stage: .read, message: error.message)
    }
    try check()
  }

  /// The opened file, whatever its name refers to now.
  var place: FilePlace { file.map { .descriptor($0.number) } ?? .path(source.path) }

  /// Whether it may change: it is a local file.
  var isChangeable: Bool { source.fingerprint != nil }

  /// Checks that the file is still the one that was digested. If it throws, what was rendered must be discarded.
  /// - Throws: `JobError` with code `sourceChanged` or `unreadable`.
  func check() throws(JobError) {
    guard let fingerprint = source.fingerprint else { return }
    guard let file, FileFingerprint(path: fingerprint.path, status: file.status) == fingerprint else {
      throw changed
    }
    // A second write within one tick of the kernel's clock doesn't change the fingerprint.
    guard !source.isFingerprintCertain else { return }
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
        "the file '\(source.path)' changed while it was being read; run again when it is complete",
      isTemporary: true)
  }
}
