import CSandbox
import SystemIO

/// The restrictions that a worker process puts on itself before it reads its first image.
///
/// With any but ``off`` a worker leaves no core file, hides its memory from other processes, ends with its parent whatever it
/// does, and never gains privileges.
public enum WorkerSandbox: String, Sendable, CaseIterable {
  /// What the kernel has of ``strict``.
  case auto
  /// A filter of system calls (seccomp): no network, no other programs and processes. Rules for files (Landlock): none but
  /// the libraries' and the job's own. If the kernel lacks one of these, rendering fails.
  case strict
  /// None.
  case off

  /// Whether this kernel has everything that ``strict`` requires.
  public static var isComplete: Bool { missing.isEmpty }

  /// What this kernel lacks of ``strict``, for messages.
  package static var missing: [String] {
    (hasFilter ? [] : ["filters of system calls (seccomp)"])
      + (filesVersion > 0 ? [] : ["rules for files (Landlock)"])
  }

  /// Whether this kernel can filter system calls.
  package static var hasFilter: Bool { csandbox_has_filter() != 0 }

  /// The version of the kernel's rules for files; 0 without them.
  package static var filesVersion: Int { Int(csandbox_files_version()) }

  /// Whether a worker waits for the ``WorkerPlaces`` that it may use. Its parent, on the same kernel, decides the same.
  var restrictsFiles: Bool { self != .off && Self.filesVersion > 0 }

  /// Restricts the process, except for files.
  /// - Throws: `SystemError` if a restriction that the kernel has, or that ``strict`` requires, can't be made.
  func enter() throws(SystemError) {
    guard self != .off else { return }
    try Self.check(csandbox_isolate())
    if self == .strict || Self.hasFilter { try Self.check(csandbox_filter()) }
  }

  static func check(_ code: Int32) throws(SystemError) {
    if code != 0 { throw SystemError(code: code) }
  }
}
