import Glibc

/// A descriptor that becomes readable once, to end a wait.
final class StopSignal: Sendable {
  /// What to poll along with the input.
  let descriptor: Int32
  private let writing: Int32

  /// nil where no descriptor is left; `errno` says so.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (descriptor, writing) = (ends[0], ends[1])
  }

  deinit {
    close(descriptor)
    close(writing)
  }

  /// Makes it readable, for good.
  func raise() {
    var byte: UInt8 = 1
    // Can only fail where the pipe is full, and then it is readable already.
    _ = write(writing, &byte, 1)
  }
}
