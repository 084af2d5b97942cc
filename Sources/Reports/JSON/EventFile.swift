import Glibc
import Synchronization
import SystemIO

/// The file of an event log. The batch continues after an error, which is reported at the end.
final class EventFile: Sendable {
  private struct State {
    /// nil when it is closed.
    var descriptor: Int32?
    var failure: ReportError?
  }

  private let path: ReportPath
  private let writing: @Sendable ([UInt8], Int32) throws -> Void
  private let state: Mutex<State>

  /// Creates the file and its missing directories.
  /// - Parameter writing: Writes to the file.
  init(_ path: String, writing: @escaping @Sendable ([UInt8], Int32) throws -> Void)
    throws(ReportError)
  {
    self.writing = writing
    let path = ReportPath(path, noun: "event log")
    try path.makeDirectories()
    let descriptor = try path.openLog()
    self.path = path
    state = Mutex(State(descriptor: descriptor))
  }

  deinit {
    // Only of a log that was not ended: its batch never began.
    if let descriptor = state.withLock(\.descriptor) { close(descriptor) }
  }

  /// Writes a line.
  /// - Returns: Whether it was written: false without a reader, or on a full disk.
  func write(_ text: String) -> Bool {
    state.withLock { state in
      guard let descriptor = state.descriptor else { return false }
      do {
        try writing(Array(text.utf8), descriptor)
        return true
      } catch {
        let error = error as? SystemError ?? SystemError(code: EIO)
        if !error.isReaderGone { state.failure = path.unwritable(error.code) }
        return false
      }
    }
  }

  /// Closes the file.
  /// - Throws: The first error, which network disks may tell only now.
  func finish() throws(ReportError) {
    let failure = state.withLock { state in
      defer { state.descriptor = nil }
      if let descriptor = state.descriptor, close(descriptor) != 0, state.failure == nil {
        state.failure = path.unwritable(errno)
      }
      return state.failure
    }
    if let failure { throw failure }
  }
}
