import Crypto
import Curl
import Glibc
import ImageCaches
import Synchronization
import SystemIO

/// Receives the body of a response with status 200. Other bodies are dropped up to a small size, so that the connection of
/// a miss can be used again.
final class RemoteSink: TransferSink {
  private struct Progress {
    var isWanted = false
    var dropped = 0
    var start: [UInt8] = []
  }

  private static let dropLimit = 64 * 1024
  /// The bytes of an error response that are read: more than any error of object storage has.
  private static let startLimit = 8 * 1024
  private let progress = Mutex(Progress())
  private let keep: @Sendable (UnsafeRawBufferPointer) -> Bool

  /// - Parameter keep: Receives the wanted bytes, and returns whether to go on. Default: drops them.
  init(keep: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool = { _ in true }) { self.keep = keep }

  /// The beginning of a body that was dropped.
  var startOfDropped: [UInt8] { progress.withLock(\.start) }

  func receive(head: ResponseHead) -> Bool {
    progress.withLock { $0.isWanted = head.status == 200 }
    return true
  }

  func receive(bytes: UnsafeRawBufferPointer) -> Bool {
    let isWanted = progress.withLock { progress in
      if !progress.isWanted {
        progress.dropped += bytes.count
        progress.start += bytes.prefix(Self.startLimit - progress.start.count)
      }
      return progress.isWanted
    }
    return isWanted ? keep(bytes) : progress.withLock { $0.dropped } <= Self.dropLimit
  }
}

/// A body in memory.
final class ReceivedBytes: Sendable {
  private let received = Mutex<[UInt8]>([])

  var bytes: [UInt8] { received.withLock(\.self) }

  func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    received.withLock { $0.append(contentsOf: bytes) }
    return true
  }
}

/// A body in a file, hashed as it is written.
final class ReceivedFile: Sendable {
  private struct State {
    var hasher = SHA256()
    var byteCount = 0
    var error: SystemError?
  }

  private let file: FileDescriptor
  private let state = Mutex(State())

  /// Creates or truncates the file.
  init(_ path: TemporaryPath) throws(SystemError) {
    file = try FileDescriptor(opening: path.path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)
  }

  /// Why a write failed; nil if none did.
  var error: SystemError? { state.withLock(\.error) }

  /// Whether exactly the bytes with this digest have been received.
  func isComplete(_ output: StoredOutput) -> Bool {
    state.withLock { $0.byteCount == output.bytes && ContentDigest($0.hasher.finalize()) == output.digest }
  }

  func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      do throws(SystemError) {
        try FileIO.write(bytes, to: file.number)
      } catch {
        state.error = error
        return false
      }
      state.hasher.update(bufferPointer: bytes)
      state.byteCount += bytes.count
      return true
    }
  }
}
