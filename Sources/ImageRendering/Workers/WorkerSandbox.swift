import CSandbox
import SystemIO

/// The restrictions that a worker process puts on itself before it reads its first image.
///
/// With any but ``off`` a worker leaves no core file, hides its memory from other processes, ends with its parent whatever it
/// does, and never gains privileges.
public enum WorkerSandbox: String, Sendable, CaseIterable {
  /// What the kernel has of ``strict``.
  case auto
  /// A filter of system calls (seccomp): no network, no other programs and processes. Without one, rendering fails.
  case strict
  /// None.
  case off

  /// Whether this kernel has everything that ``strict`` requires.
  public static var isComplete: Bool { csandbox_has_filter() != 0 }

  /// Restricts the process.
  /// - Throws: `SystemError` if a restriction that the kernel has, or that ``strict`` requires, can't be made.
  func enter() throws(SystemError) {
    guard self != .off else { return }
    try check(csandbox_isolate())
    if self == .strict || Self.isComplete { try check(csandbox_filter()) }
  }

  private func check(_ code: Int32) throws(SystemError) {
    if code != 0 { throw SystemError(code: code) }
  }
}
