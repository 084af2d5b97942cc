import Glibc

/// A descriptor that becomes readable once, to end a wait.
final class StopSignal: Sendable {
  /// The descriptor to poll along with the input.
  let descriptor: Int32
  private let writing: Int32

  /// Fails if pipe(2) fails, with the reason in `errno`.
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

  /// Makes the descriptor readable, permanently.
  func raise() {
    var byte: UInt8 = 1
    // This can fail only if the pipe is full, and then it is readable already.
    _ = write(writing, &byte, 1)
  }
}
